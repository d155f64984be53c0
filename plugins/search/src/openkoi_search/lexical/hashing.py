"""Hash counted words into a vector: each feature is added to or subtracted from the position of its hash.

Equal on every machine: the hash is a digest, and no operation rounds differently.
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache

from .words import pieces

try:
    from _blake2 import blake2b  # that of hashlib, whose import loads OpenSSL, which takes as long as a start of Python
except ImportError:
    from hashlib import blake2b

PIECE_WEIGHT = 0.5  # weight of a piece of a word, relative to the whole word (estimate)
LONG_WORD_CHARACTERS = 8
MAX_CACHED_WORDS = 1_024  # half a kilobyte each

Features = tuple["array[int]", "array[float]"]  # a quarter of what tuples take


def vector(counted: Mapping[str, int], dimensions: int) -> Sequence[float]:
    """Return the vector, of length 1. Frequent words weigh more, but less than in proportion."""
    found = [0.0] * dimensions
    for place, value in sparse_vector(counted, dimensions).items():
        found[place] = value
    return found


def sparse_vector(counted: Mapping[str, int], dimensions: int) -> Mapping[int, float]:
    """Return the nonzero values of the vector, by position."""
    summed: dict[int, float] = {}
    for word, times in counted.items():
        factor = math.sqrt(times)
        for place, weight in zip(*features(word, dimensions), strict=True):
            summed[place] = summed.get(place, 0.0) + factor * weight
    taken = {place: value for place, value in summed.items() if value}
    length = math.sqrt(math.fsum([value * value for value in taken.values()]))
    return {place: value / length for place, value in taken.items()} if length else {0: 1.0}


@lru_cache(maxsize=MAX_CACHED_WORDS)
def features(word: str, dimensions: int) -> Features:
    """Return the positions of a word and its pieces, and their weights; short words, which are common, weigh little."""
    whole = min(len(word) + 1, LONG_WORD_CHARACTERS) / LONG_WORD_CHARACTERS
    codes = [code(f" {word}"), *map(code, pieces(word))]
    weights = [whole] + [whole * PIECE_WEIGHT] * (len(codes) - 1)
    signed = (weight if code & 1 else -weight for code, weight in zip(codes, weights, strict=True))
    return array("I", [(code >> 1) % dimensions for code in codes]), array("d", signed)


def code(feature: str) -> int:
    """Return the 64-bit hash of a feature."""
    return int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")
