"""A vector of counted words: each of their features is added to or taken from the place that its hash names.

The same on every machine: the hash is a digest, and nothing is computed that machines round differently.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

from .words import pieces

PIECE = 0.5
LONG = 8
KEPT = 50_000

Features = tuple[tuple[int, ...], tuple[float, ...]]


def vector(counted: Mapping[str, int], dimensions: int) -> Sequence[float]:
    """Return the vector, of length 1. What comes often weighs more, but less than in proportion."""
    import numpy

    places: list[int] = []
    weights: list[float] = []
    for word, times in counted.items():
        where, what = features(word, dimensions)
        places += where
        weights += what if times == 1 else [math.sqrt(times) * weight for weight in what]
    summed = numpy.bincount(places, weights=weights, minlength=dimensions)
    taken = summed[summed != 0]
    length = math.sqrt(math.fsum((taken * taken).tolist()))
    scaled: list[float] = (summed / length).tolist() if length else unit(dimensions)
    return scaled


@lru_cache(maxsize=KEPT)
def features(word: str, dimensions: int) -> Features:
    """Return the places of a word and its pieces, and their weights. Short words, which are common, weigh little."""
    whole = min(len(word) + 1, LONG) / LONG
    codes = [code(f" {word}"), *map(code, pieces(word))]
    weights = [whole] + [whole * PIECE] * (len(codes) - 1)
    signed = (weight if code & 1 else -weight for code, weight in zip(codes, weights, strict=True))
    return tuple((code >> 1) % dimensions for code in codes), tuple(signed)


def code(feature: str) -> int:
    """Return 64 bits that stand for a feature."""
    return int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def unit(dimensions: int) -> list[float]:
    """Return a vector for the rare text all of whose features cancel each other out."""
    return [1.0] + [0.0] * (dimensions - 1)
