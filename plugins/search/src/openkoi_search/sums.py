"""Sums over what is mapped from a file, so that no number of it is believed before it was checked. Knows bytes only."""

import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bm25 import Matrix, Numbers

STRETCH = 65_536


class CorruptFileError(Exception):
    """A file differs from what was written; never leaves the memory."""


def sum_of(numbers: "NDArray[Any]") -> int:
    """A sum over every bit of an array and the place that it stands at: as quick as reading it."""
    import numpy

    words = numpy.ascontiguousarray(numbers).reshape(-1).view(numpy.uint32)
    whole = len(words) // STRETCH * STRETCH
    sums = words[:whole].view(numpy.uint64).reshape(-1, STRETCH // 2).sum(axis=1)
    return zlib.crc32(words[whole:].tobytes(), zlib.crc32(sums.tobytes()))


def sums_of_rows(matrix: "Matrix") -> "NDArray[Any]":
    """A sum over every bit of each row."""
    import numpy

    wide = matrix.shape[1] % 2 == 0 and matrix.flags.c_contiguous
    lanes: NDArray[Any] = matrix.view(numpy.uint64) if wide else matrix.view(numpy.uint32)
    found: NDArray[Any] = lanes.sum(axis=1, dtype=numpy.uint64)
    return found


def check_sum(numbers: "NDArray[Any]", told: int, what: str) -> None:
    """Raise CorruptFileError when an array's checksum differs."""
    if sum_of(numbers) != told:
        raise CorruptFileError(f"the sum of its {what} is wrong")


@dataclass(slots=True)
class Late:
    """The sum of a large part of a file, which is checked when that is first used."""

    told: int
    known: bool = False

    def check(self, numbers: "NDArray[Any]", what: str) -> None:
        """Raise Damaged when it is not so."""
        if not self.known:
            check_sum(numbers, self.told, what)
            self.known = True


@dataclass(frozen=True)
class Mapped:
    """Rows that lie in a file, and what their sums are: whatever is taken of them is checked."""

    matrix: "Matrix"
    sums: "NDArray[Any]"

    @cached_property
    def whole(self) -> "Matrix":
        """All rows, checked once."""
        return self.sound(self.matrix, self.sums)

    def some(self, rows: "Numbers") -> "Matrix":
        """Some rows, checked as they are now."""
        return self.sound(self.matrix[rows], self.sums[rows])

    def sound(self, found: "Matrix", sums: "NDArray[Any]") -> "Matrix":
        """What was found, if it has these sums."""
        if (sums_of_rows(found) != sums).any():
            raise CorruptFileError("the sums of its vectors are wrong")
        return found
