"""The signs of vectors, a bit a dimension: a first look at very many of them. Knows matrices; knows no file."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .sums import Late

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Scores

    Bits: TypeAlias = NDArray[numpy.uint64]

WORD = 64
TOGETHER = 65_536


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs, sixty-four dimensions a row, a column a vector."""

    bits: "Bits"
    late: Late | None = None

    def scores(self, vector: "Scores") -> "NDArray[numpy.int16]":
        """How few signs of each vector differ from those of another: nothing at best, and less than that."""
        import numpy

        if self.late:
            self.late.check(self.bits, "first look")
        found = numpy.zeros(self.bits.shape[1], numpy.int16)
        for row, word in zip(self.bits, words_of(vector[None, :])[0], strict=True):
            found -= numpy.bitwise_count(row ^ word)
        return found


def signs_of(matrix: "Matrix") -> Signs:
    """The signs of a matrix, a number of rows at a time."""
    import numpy

    starts = range(0, len(matrix), TOGETHER)
    parts = [words_of(matrix[start : start + TOGETHER]) for start in starts]
    return Signs(numpy.ascontiguousarray(numpy.concatenate(parts).T))


def words_of(matrix: "Matrix") -> "Bits":
    """A bit a dimension, in whole words."""
    import numpy

    bits = numpy.packbits(matrix > 0, axis=1)
    short = -bits.shape[1] % (WORD // 8)
    return numpy.pad(bits, ((0, 0), (0, short))).view(numpy.uint64)
