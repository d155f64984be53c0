"""Weigh several searches over the same texts against each other.

Scores are normalized, weighed and added (``sparse_fusion``). Sums keep how much better the best is, which ranks lose:
of the ways that were tried, sums found most. Age does not count.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Scores


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
