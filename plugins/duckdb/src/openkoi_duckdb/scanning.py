"""Which vectors are nearest to another: all of them are looked at, in one thread.

Above a hundred thousand their signs are looked at first, a bit a dimension, and of the nearest of those the vectors
themselves. Knows matrices; knows no file and no text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from .one_thread import one_thread

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Numbers, Scores

    Matrix: TypeAlias = NDArray[numpy.float32]
    Bits: TypeAlias = NDArray[numpy.uint64]

MANY = 100_000
RERANKED = 4_000
WORD = 64


@dataclass(frozen=True)
class Scanned:
    """Vectors of length 1, a row each."""

    matrix: "Matrix"

    def scores(self, vector: Sequence[float]) -> "Scores":
        """The cosine of each row and the vector."""
        one_thread()
        found: Scores = self.matrix @ asked(vector, self.matrix.shape[1])
        return found

    def scores_of(self, rows: "Numbers", vector: Sequence[float]) -> "Scores":
        """The cosine of some rows and the vector."""
        one_thread()
        found: Scores = self.matrix[rows] @ asked(vector, self.matrix.shape[1])
        return found

    def nearest(self, vector: Sequence[float], most: int, among: "Numbers | None" = None) -> "tuple[Numbers, Scores]":
        """The nearest rows and their cosines, nearest first; only some rows when they are named."""
        wanted = asked(vector, self.matrix.shape[1])
        one_thread()
        if (len(self.matrix) if among is None else len(among)) > MANY:
            among = self.likely(wanted, max(RERANKED, most), among)
        scores = self.matrix @ wanted if among is None else self.matrix[among] @ wanted
        rows = top(scores, most)
        return rows if among is None else among[rows], scores[rows]

    def likely(self, vector: "Scores", most: int, among: "Numbers | None") -> "Numbers":
        """The rows whose signs differ least from those of the vector."""
        import numpy

        bits = self.signs if among is None else self.signs[among]
        differing = numpy.bitwise_count(bits ^ signs_of(vector[None, :])).sum(axis=1, dtype=numpy.int32)
        rows = top(-differing, most)
        return numpy.sort(rows if among is None else among[rows])

    @cached_property
    def signs(self) -> "Bits":
        """The signs of all rows."""
        return signs_of(self.matrix)


def signs_of(matrix: "Matrix") -> "Bits":
    """A bit a dimension, in whole words."""
    import numpy

    packed = numpy.packbits(matrix > 0, axis=1)
    short = -packed.shape[1] % (WORD // 8)
    return numpy.pad(packed, ((0, 0), (0, short))).view(numpy.uint64)


def top(scores: "NDArray[numpy.float32 | numpy.int32]", most: int) -> "Numbers":
    """The places of the highest scores, highest first, the earlier before the later."""
    import numpy

    most = min(most, len(scores))
    if most <= 0:
        return numpy.zeros(0, numpy.int64)
    chosen = numpy.sort(numpy.argpartition(scores, len(scores) - most)[len(scores) - most :])
    found: Numbers = chosen[numpy.argsort(-scores[chosen], kind="stable")]
    return found


def asked(vector: Sequence[float], dimensions: int) -> "Scores":
    """The vector of a question; raises ValueError when it cannot be compared."""
    import numpy

    found = numpy.asarray(vector, numpy.float32)
    if found.shape != (dimensions,) or not numpy.isfinite(found).all():
        raise ValueError(f"a vector of {dimensions} finite numbers was wanted, and one of {found.shape} came")
    return found


def matrix_of(vectors: Sequence[Sequence[float]]) -> "Matrix":
    """Vectors as a matrix; raises ValueError when they are of several lengths, or hold what is no number."""
    import numpy

    found = numpy.array(vectors, numpy.float32)
    if found.ndim != 2 or not found.shape[1] or not numpy.isfinite(found).all():
        raise ValueError("an embedder answered vectors of several lengths, or with what is no number in them")
    return found


def joined(matrices: "Sequence[Matrix]") -> "Matrix":
    """Matrices one under the other; raises ValueError when they are of several widths."""
    import numpy

    return numpy.concatenate(matrices)
