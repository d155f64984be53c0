"""The parameters of BM25, and the types of columns of numbers."""

from math import log
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Scores: TypeAlias = NDArray[numpy.float32]
    Numbers: TypeAlias = NDArray[numpy.int64]
    Matrix: TypeAlias = NDArray[numpy.float32]

# BM25's k1 and b. Prose: K1 and B, Anserini's defaults. Code and other long texts: LONG_SHAPE, Lucene's defaults
# (compared in tests/benchmarks/recall.py).
K1, B = 0.9, 0.4
LONG_SHAPE = (1.2, 0.75)


def rarity(count: int, size: int) -> float:
    """Return how much a word adds to the score of a text of average length; rarer words add more."""
    return log(1 + (size - count + 0.5) / (count + 0.5))
