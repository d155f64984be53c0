"""Count how often the documents of an index have a word: in a dictionary for a rare word, in a column for a common one.

The documents of all segments are one sequence of rows. A column has a byte for each of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment import MAX_BYTE, cut_numbers

if TYPE_CHECKING:
    from array import array

    from .segment import Postings

    # The postings of a word, each with the first row of their segment.
    Posted: TypeAlias = Sequence[tuple[int, Postings]]

# More than one of so many rows make a word common: measured, a row takes 0.15 us in a dictionary, a column of 50,000
# rows 120 us.
RARE_SHARE = 64


@dataclass(frozen=True, slots=True)
class RareWord:
    """A word with its counts by row. ``most`` is an upper bound of the counts."""

    counts: Mapping[int, int]
    most: int

    @property
    def size(self) -> int:
        """The number of documents that contain the word."""
        return len(self.counts)

    def among(self, rows: Mapping[int, object]) -> Iterable[tuple[int, int]]:
        """Return the rows, among these, that have the word, and how often each does."""
        counts = self.counts
        return [(row, counts[row]) for row in counts.keys() & rows.keys()]


@dataclass(frozen=True, slots=True)
class CommonWord:
    """A word with a column of its counts, capped at MAX_BYTE; ``large`` are the counts above that.

    ``most`` is an upper bound of the counts.
    """

    column: bytearray
    large: Mapping[int, int]
    size: int
    most: int

    def among(self, rows: Mapping[int, object]) -> Iterable[tuple[int, int]]:
        """Return the rows, among these, that have the word, and how often each does."""
        column, large = self.column, self.large
        found = [(row, count) for row in rows if (count := column[row])]
        return [(row, large.get(row, count)) for row, count in found] if large else found

    def pick(self, rows: Sequence[int]) -> Iterable[int]:
        """Return how often each of some rows has it."""
        counts = itemgetter(slice(0), *rows)(self.column)[1:]
        return map(self.large.get, rows, counts) if self.large else counts


WordCounts: TypeAlias = RareWord | CommonWord


def count_word(posted: "Posted", rows: int) -> WordCounts | None:
    """Return how often each of all rows has a word; None if no row does."""
    size = sum(postings.size for _, postings in posted)
    if not size:
        return None
    most = max(postings.most for _, postings in posted)
    if size * RARE_SHARE > rows:
        return CommonWord(*count_in_column(posted, rows), size, most)
    return RareWord(dict(chain.from_iterable(count_in_rows(start, postings) for start, postings in posted)), most)


def count_in_rows(start: int, postings: "Postings") -> Iterable[tuple[int, int]]:
    """Return the rows of postings, counted from the first one of their segment on, and their counts."""
    rows, counts, size, _ = postings
    found = zip(map(start.__add__, rows), counts, strict=True)
    return found if size == len(rows) else (pair for pair in found if pair[1])


def count_in_column(posted: "Posted", rows: int) -> tuple[bytearray, Mapping[int, int]]:
    """Return a column with the counts of all rows, capped at MAX_BYTE, and the counts above that."""
    column, large = bytearray(rows), dict[int, int]()
    for start, postings in posted:
        counts = postings.counts
        if not isinstance(counts, bytes):
            large |= {row: count for row, count in count_in_rows(start, postings) if count > MAX_BYTE}
            counts = cut_numbers(counts)
        put(column, start, postings.rows, counts)
    return column, large


def put(column: bytearray, start: int, rows: "array[int] | range", values: bytes) -> None:
    """Write the values of some rows to a column, in which row 0 is at ``start``."""
    if not rows:
        return
    first, end = rows[0], rows[-1] + 1
    if len(rows) == end - first:
        known = column[start + first : start + end]
        column[start + first : start + end] = merge(known, values) if known.strip(b"\0") else values
        return
    part = bytearray(first) + column[start + first : start + end]  # what begins with row 0 needs no sum for each
    for row, value in zip(rows, values, strict=True):
        part[row] = value
    column[start + first : start + end] = part[first:]


def merge(one: bytearray, other: bytes) -> bytes:
    """Combine two columns, of which at least one is 0 in each row."""
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return both.to_bytes(len(one), "little")
