"""How the opinions of several searches about the same texts become one: scores brought to a scale, weighed and added.

Added scores keep how much better the best is, which ranks forget: of the ways that were tried, sums found most. Age
has no part in it. Knows columns of scores; knows no text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Numbers, Scores

RANK_SMOOTHING = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """What counts how much: ``vectors`` against words, the texts around, and names that the question has.

    ``neighbours`` says what is added for the better of the two texts next to one, then for those one further away.
    """

    vectors: float = 0.0
    neighbours: tuple[float, ...] = (0.5, 0.3)
    names: float = 0.15


WORDS_ALONE = FusionWeights()
LEXICAL, MEANING = 0.3, 0.6
WITH_MEANING = FusionWeights(vectors=MEANING, neighbours=(0.4, 0.2))


def weights_for(vectors: float) -> FusionWeights:
    """The weights that found most beside vectors that count so much: those that tell meaning need less of the rest."""
    return replace(WITH_MEANING if vectors > LEXICAL else WORDS_ALONE, vectors=vectors)


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
    """Add a share of the better of the texts before and after, if they are of the same part.

    What is further away than the next adds only to what has something already.
    """
    found = scores.copy()
    for distance, weight in enumerate(weights, 1):
        more = beside(scores, distance, parts) * scores.dtype.type(weight)
        found += more if distance == 1 else more * (found > 0)
    return found


def beside(scores: "Scores", distance: int, parts: "Numbers | None") -> "Scores":
    """The better score of the two texts that are so far before and after each; 0 where there is none."""
    import numpy

    found = numpy.zeros_like(scores)
    if distance < len(scores):
        near, far = scores[:-distance], scores[distance:]
        kin = True if parts is None else parts[distance:] == parts[:-distance]
        found[distance:] = near * kin
        found[:-distance] = numpy.maximum(found[:-distance], far * kin)
    return found


def by_rank(opinions: "Sequence[Scores]") -> "Scores":
    """Add up reciprocal ranks, as others do: it is here to be measured against."""
    import numpy

    found = numpy.zeros(len(opinions[0]), numpy.float32)
    for scores in opinions:
        order = numpy.argsort(-scores, kind="stable")
        found[order] += 1 / numpy.arange(RANK_SMOOTHING + 1, RANK_SMOOTHING + 1 + len(order), dtype=numpy.float32)
    return found


def best(scores: "Scores | NDArray[numpy.float64]", most: int) -> list[int]:
    """The numbers of the best scores above 0, best first, the earlier before the later."""
    import numpy

    above = scores[scores > 0]
    most = min(most, len(above))
    if most <= 0:
        return []
    edge = numpy.partition(above, len(above) - most)[len(above) - most]
    chosen = numpy.flatnonzero(scores >= edge)
    found: list[int] = chosen[numpy.argsort(-scores[chosen], kind="stable")][:most].tolist()
    return found
