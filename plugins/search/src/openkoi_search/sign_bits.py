"""Reduce vectors to their signs, one bit per dimension, for a first pass over very many of them."""

from typing import TYPE_CHECKING, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .checksums import LazyChecksum

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Scores

    Bits: TypeAlias = NDArray[numpy.uint64]

WORD_BITS = 64
BATCH_ROWS = 65_536


@dataclass(frozen=True, slots=True)
class SignBits:
    """The signs: 64 dimensions per row, one vector per column."""

    bits: "Bits"
    checksum: LazyChecksum | None = None

    def scores(self, vector: "Scores") -> "NDArray[numpy.int16]":
        """Return, negated, in how many signs each vector differs from another."""
        import numpy

        if self.checksum:
            self.checksum.check(self.bits, "first look")
        found = numpy.zeros(self.bits.shape[1], numpy.int16)
        for row, word in zip(self.bits, pack_signs(vector[None, :])[0], strict=True):
            found -= numpy.bitwise_count(row ^ word)
        return found


def compute_signs(matrix: "Matrix") -> SignBits:
    """Compute the signs of a matrix, in batches of rows."""
    import numpy

    starts = range(0, len(matrix), BATCH_ROWS)
    parts = [pack_signs(matrix[start : start + BATCH_ROWS]) for start in starts]
    return SignBits(numpy.ascontiguousarray(numpy.concatenate(parts).T))


def pack_signs(matrix: "Matrix") -> "Bits":
    """Pack the signs into words, one bit per dimension."""
    import numpy

    bits = numpy.packbits(matrix > 0, axis=1)
    short = -bits.shape[1] % (WORD_BITS // 8)
    return numpy.pad(bits, ((0, 0), (0, short))).view(numpy.uint64)
