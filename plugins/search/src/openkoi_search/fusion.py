"""Fuse several searches over the same texts (hybrid retrieval): weigh their scores against each other.

Scores are normalized, weighed and added (``sparse_fusion``). Sums keep how much better the best is, which ranks lose:
of the methods tried, sums found the most. Age does not count.
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

    ``neighbours`` are the shares of the better score of the two texts next to one, then of those one further away.
    ``before`` are the shares that a word counts which a text lacks, if the text before it has the word, then the one
    before that; ``after`` those of the next texts. ``questions`` is what a text loses that asks instead of stating.
    ``pieces`` is the share of words and their pieces in the vectors, if these express meaning.
    """

    vectors: float = 0.0
    neighbours: tuple[float, ...] = (0.5, 0.3)
    before: tuple[float, ...] = (0.6, 0.4)
    after: tuple[float, ...] = (0.4,)
    names: float = 0.2
    questions: float = 0.1
    pieces: float = 0.0


# How much vectors count against words, with each kind of embedder. Measured on half of the public conversations of
# LoCoMo: recall@10 rises from .739 to .789 there, and from .720 to .769 on the other half; with MiniLM it is .819 and
# .786. Values near these do about as well. tests/benchmarks/recall.py compares other ways.
LEXICAL_WEIGHT, MEANING_WEIGHT = 0.3, 0.6
STANDALONE = FusionWeights(neighbours=(), before=(), after=(), names=0.0, questions=0.0)  # for texts without a context
# For code that is searched by meaning: the weights of vectors and word pieces, and how much the names that a text
# defines count beside the whole text. Measured as the mean recall@10 of functions of click, httpx, llm and rich, found
# by the first lines of their docstrings: .805, but .764 with MEANING_WEIGHT alone. With vectors at .6 it is .787, at .8
# .799; with pieces at 0 .789, at .1 .805, at .3 .793; with names at 0 .780, at .2 .799, at .5 .802. On held-out code
# (aider, graphiti and ExpeL) it rose from .875 to .896. Over all questions about 14 libraries, weighing word pieces by
# rarity, leaving out punctuation, and whitening vectors changed it by less than .005; in some libraries it fell.
CODE_MEANING, NAMES_SHARE = replace(STANDALONE, vectors=0.7, pieces=0.2), 0.35


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
