"""Combine the scores of several searches over the same texts: normalize, weigh and add.

Sums keep how much better the best is, which ranks lose: of the ways that were tried, sums found most. Age does not
count.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Numbers, Scores

RANK_SMOOTHING = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """How much each search counts: ``vectors`` against words, the texts around, and names in the question.

    ``neighbours`` are the shares of the better of the two texts next to one, then of those one further away.
    """

    vectors: float = 0.0
    neighbours: tuple[float, ...] = (0.5, 0.3)
    names: float = 0.15


# Compared in tests/benchmarks/recall.py.
WORDS_ALONE = FusionWeights()
LEXICAL_WEIGHT, MEANING_WEIGHT = 0.3, 0.6
WITH_MEANING = FusionWeights(vectors=MEANING_WEIGHT, neighbours=(0.4, 0.2))


def weights_for(vectors: float) -> FusionWeights:
    """Return the best measured weights beside vectors of this weight: sentence embeddings need less of the rest."""
    return replace(WITH_MEANING if vectors > LEXICAL_WEIGHT else WORDS_ALONE, vectors=vectors)


def normalize_scores(scores: "Scores") -> "Scores":
    """Scale scores to between 0, the worst, and 1, the best; if all are equal, all above 0 are best."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    found: Scores = (scores - low) / (high - low) if high > low else (scores > 0).astype(scores.dtype)
    return found


def add_scores(words: "Scores", vectors: "Scores | None", weight: float) -> "Scores":
    """Return the weighted sum of word and vector scores."""
    if vectors is None or not weight:
        return normalize_scores(words)
    found: Scores = (1 - weight) * normalize_scores(words) + weight * normalize_scores(vectors)
    return found


def with_neighbours(scores: "Scores", weights: Sequence[float], parts: "Numbers | None" = None) -> "Scores":
    """Add a share of the better score of the texts before and after, if they belong to the same part."""
    found = scores.copy()
    for distance, weight in enumerate(weights, 1):
        more = better_neighbours(scores, distance, parts) * scores.dtype.type(weight)
        found += more if distance == 1 else more * (found > 0)
    return found


def better_neighbours(scores: "Scores", distance: int, parts: "Numbers | None") -> "Scores":
    """Return the better score of the two texts at this distance before and after each; 0 if there is none."""
    import numpy

    found = numpy.zeros_like(scores)
    if distance < len(scores):
        near, far = scores[:-distance], scores[distance:]
        kin = True if parts is None else parts[distance:] == parts[:-distance]
        found[distance:] = near * kin
        found[:-distance] = numpy.maximum(found[:-distance], far * kin)
    return found


def add_reciprocal_ranks(opinions: "Sequence[Scores]") -> "Scores":
    """Add up reciprocal ranks, as a baseline for benchmarks."""
    import numpy

    found = numpy.zeros(len(opinions[0]), numpy.float32)
    for scores in opinions:
        order = numpy.argsort(-scores, kind="stable")
        found[order] += 1 / numpy.arange(RANK_SMOOTHING + 1, RANK_SMOOTHING + 1 + len(order), dtype=numpy.float32)
    return found


def best_positions(scores: "Scores | NDArray[numpy.float64]", limit: int) -> list[int]:
    """Return the positions of the best scores above 0, best first, the earlier first between equals."""
    import numpy

    above = scores[scores > 0]
    limit = min(limit, len(above))
    if limit <= 0:
        return []
    edge = numpy.partition(above, len(above) - limit)[len(above) - limit]
    chosen = numpy.flatnonzero(scores >= edge)
    found: list[int] = chosen[numpy.argsort(-scores[chosen], kind="stable")][:limit].tolist()
    return found
