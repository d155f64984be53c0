"""The parameters of BM25, and the types of columns of numbers."""

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Scores: TypeAlias = NDArray[numpy.float32]
    Numbers: TypeAlias = NDArray[numpy.int64]
    Matrix: TypeAlias = NDArray[numpy.float32]

# Anserini's defaults for prose; Lucene's for code (compared in tests/benchmarks/recall.py).
K1, B = 0.9, 0.4
CODE_SHAPE = (1.2, 0.75)
