"""Verify arrays from a memory-mapped file before they are used."""

import zlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bm25 import Matrix, Numbers

STRETCH_WORDS = 65_536


class Cached:
    """The base of dataclasses with slots that have cached properties."""

    __slots__ = ("__dict__",)


class CorruptFileError(Exception):
    """The file is corrupt; handled within this package."""


class OtherFormatError(CorruptFileError):
    """The file was written by another version of OpenKoi."""


def checksum(numbers: "NDArray[Any]") -> int:
    """Compute a checksum over every bit of an array and its position, as fast as reading it."""
    import numpy

    words = numpy.ascontiguousarray(numbers).reshape(-1).view(numpy.uint32)
    whole = len(words) // STRETCH_WORDS * STRETCH_WORDS
    sums = words[:whole].view(numpy.uint64).reshape(-1, STRETCH_WORDS // 2).sum(axis=1)
    return zlib.crc32(words[whole:].tobytes(), zlib.crc32(sums.tobytes()))


def row_checksums(matrix: "Matrix") -> "NDArray[Any]":
    """Compute a checksum over every bit of each row."""
    import numpy

    wide = matrix.shape[1] % 2 == 0 and matrix.flags.c_contiguous
    lanes: NDArray[Any] = matrix.view(numpy.uint64) if wide else matrix.view(numpy.uint32)
    found: NDArray[Any] = lanes.sum(axis=1, dtype=numpy.uint64)
    return found


def verify_checksum(numbers: "NDArray[Any]", expected: int, what: str) -> None:
    """Raise CorruptFileError when an array's checksum differs."""
    if checksum(numbers) != expected:
        raise CorruptFileError(f"the checksum of its {what} does not match")


@dataclass(slots=True)
class LazyChecksum:
    """The checksum of a large part of a file, verified on first use."""

    expected: int
    verified: bool = False

    def check(self, numbers: "NDArray[Any]", what: str) -> None:
        """Raise CorruptFileError if the array is damaged; verify it only once."""
        if not self.verified:
            verify_checksum(numbers, self.expected, what)
            self.verified = True


@dataclass(frozen=True, slots=True)
class CheckedMatrix(Cached):
    """The rows of a matrix mapped from a file, and their checksums."""

    matrix: "Matrix"
    sums: "NDArray[Any]"

    @cached_property
    def whole(self) -> "Matrix":
        """All rows, verified once."""
        return self.verify(self.matrix, self.sums)

    def some(self, rows: "Numbers") -> "Matrix":
        """Return some rows, verified on every call."""
        return self.verify(self.matrix[rows], self.sums[rows])

    def verify(self, found: "Matrix", sums: "NDArray[Any]") -> "Matrix":
        """Return rows if they match these checksums."""
        if (row_checksums(found) != sums).any():
            raise CorruptFileError("the checksum of its vectors does not match")
        return found
