"""Add up the scores (BM25) of a query's words; skip documents whose upper bound is too low, as MaxScore does.

The documents of all segments are one sequence of rows. What a row reaches at most is bounded for all rows at once: they
are the bytes of one large number, so that a single addition adds what a word counts in each of them. Those that promise
most are scored, until no other can be among the best. The result is that of scoring all.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import repeat
from math import ceil, floor
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment import MAX_BYTE
from .sparse_fusion import DIGITS

if TYPE_CHECKING:
    from .segment import Postings

    # The numbers of documents and how many words each has, row by row; the latter also as bytes, cut to MAX_BYTE; and
    # all lengths from the shortest on.
    Columns: TypeAlias = tuple[Sequence[int], Sequence[int], bytes, range]
    # A word: it adds less than its weight to a score; and its postings, each with the first row of their segment.
    WeighedWord: TypeAlias = tuple[float, Sequence[tuple[int, Postings]]]
    # A word in some rows: its weight; how often each has it, cut to MAX_BYTE; the counts that are cut; and at least how
    # often one has it at most.
    CountedWord: TypeAlias = tuple[float, bytearray, Mapping[int, int], int]

HALF_DIGIT = 10**-DIGITS / 2
BLOCK_ROWS = 65_536  # are looked at together: a byte each for every word of a query (estimate)
FIRST_SCORED = 256  # rows of a block, then twice as many each time (estimate)
MAX_DISTINCT_COUNT = 8  # a word that is more often in a text hardly adds more to its score (estimate)
MAX_LIMITED_WORDS = (MAX_BYTE - 3) // 2  # each takes two units of a byte for rounding; of more, all rows are scored
ROUNDING_ERROR = 1e-6  # is more than the error of a quotient of two scores
RowScores = Mapping[int, float]


@dataclass(slots=True)
class BestScores:
    """The best scores so far by number, of equal ones the lower number.

    A word that a text of ``length`` words has so ``often`` counts often / (often + base + share * length). ``edge`` is
    the worst of the scores, and ``last`` its number, once there are ``most``.
    """

    most: int
    base: float
    share: float
    scores: dict[int, float] = field(default_factory=dict)
    edge: float = 0.0
    last: int = 0

    def add(self, numbers: Sequence[int], found: RowScores) -> Sequence[int]:
        """Add the scores of rows, whose documents have these numbers; return the rows that were among the best."""
        low, high, last = self.edge - HALF_DIGIT, self.edge + HALF_DIGIT, self.last
        rows = [row for row, score in found.items() if score > low and (score > high or numbers[row] < last)]
        if not rows:
            return ()
        known = self.scores | {numbers[row]: round(found[row], DIGITS) for row in rows}
        ranked = sorted(sorted(known), key=known.__getitem__, reverse=True)[: self.most]
        self.scores = {number: known[number] for number in ranked}
        if len(ranked) == self.most:
            self.last = ranked[-1]
            self.edge = known[self.last]
        return [row for row in rows if numbers[row] in self.scores]

    def score_rows(self, columns: "Columns", words: "Iterable[WeighedWord]") -> Iterator[RowScores]:
        """Yield the scores of the rows that can be among the best as they are then: first those that promise most."""
        ordered, size = sorted(words, key=itemgetter(0), reverse=True), len(columns[0])
        for start in range(0, size, BLOCK_ROWS):
            rows = range(start, min(start + BLOCK_ROWS, size))
            counted = [found for word in ordered if (found := count_in_rows(*word, rows))]
            if counted:
                yield from self.score_block(columns, rows, counted)

    def score_block(self, columns: "Columns", rows: range, words: "Sequence[CountedWord]") -> Iterator[RowScores]:
        """Yield the same of a block of rows, until no other row of it can be among the best."""
        _, _, short, span = columns
        lengths, scored, most = short[rows.start : rows.stop], list[int](), FIRST_SCORED
        while limited := self.limit_rows(lengths, span, words):
            limits, needed = limited
            for place in scored:
                limits[place] = 0
            places = find_largest(limits, needed, most)
            if places:
                yield self.score_places(columns, rows.start, places, words)
            if len(places) < most:
                return
            scored += places
            most *= 2

    def limit_rows(self, lengths: bytes, span: range, words: "Sequence[CountedWord]") -> tuple[bytearray, int] | None:
        """Return what rows reach at most, and what one has to reach to be among the best; None if none reaches it.

        A word that is in a row once adds its weight / (1 + base + share * length), and more often at most as much more
        as in the longest row. Both sides are multiplied by what the weight is divided by: then lengths only change what
        has to be reached. All is rounded to whole units; the length of a row adds what longer ones have to reach more.
        More words than MAX_LIMITED_WORDS limit nothing.
        """
        if len(words) > MAX_LIMITED_WORDS:
            return bytearray([MAX_BYTE]) * len(lengths), MAX_BYTE
        shortest, longest = min(span[0], MAX_BYTE), min(span[-1], MAX_BYTE)
        lowest, highest, enough = map(self.needed, (shortest, longest, span[-1]))
        gains = [[min(gain, enough or gain) for gain in self.gains(weight, most, span)] for weight, *_, most in words]
        total = sum(row[-1] for row in gains)
        if lowest > total:
            return None
        unit = (total + min(highest, total) - lowest) / (MAX_BYTE - 2 - 2 * len(words))
        limit = floor(total / unit) + len(words) + 1
        exact = (self.needed(length) / unit - ROUNDING_ERROR for length in range(shortest, longest + 1))
        needed = [max(1, min(limit, floor(one))) for one in exact]
        summed = add_up(lengths, [0] * shortest + [needed[-1] - one for one in needed])
        for (_, counts, *_), row in zip(words, gains, strict=True):
            summed += add_up(counts, [ceil(gain / unit) for gain in row])
        return bytearray(summed.to_bytes(len(lengths), "little")), needed[-1]

    def needed(self, length: int) -> float:
        """Return what the words of a row of some length have to add, times what the weight of each is divided by."""
        least: float = max(0.0, self.edge - HALF_DIGIT)
        return least * (1 + self.base + self.share * length)

    def gains(self, weight: float, most: int, span: range) -> list[float]:
        """Return what a word adds at most, times the same, by how often a row has it."""
        far = self.base + self.share * span[-1]
        gains = [weight * often * (1 + far) / (often + far) for often in range(min(most, MAX_DISTINCT_COUNT) + 1)]
        return gains if most <= MAX_DISTINCT_COUNT else [*gains, weight * (1 + far)]

    def score_places(
        self, columns: "Columns", start: int, places: Sequence[int], words: "Sequence[CountedWord]"
    ) -> RowScores:
        """Return the scores of rows by their places from ``start`` on. Those that are alike are scored once."""
        rows, pick = [start + place for place in places], itemgetter(slice(0), *places)
        counts = [
            [large.get(place, count) for place, count in zip(places, pick(found)[1:], strict=True)]
            if large
            else pick(found)[1:]
            for _, found, large, _ in words
        ]
        profiles = list(zip(map(columns[1].__getitem__, rows), *counts, strict=True))
        weights = [weight for weight, *_ in words]
        known = {profile: self.score(profile, weights) for profile in {*profiles}}
        return dict(zip(rows, map(known.__getitem__, profiles), strict=True))

    def score(self, profile: Sequence[int], weights: Sequence[float]) -> float:
        """Return the score of a document with a number of words, and so often each of some words."""
        length, *counts = profile
        base, apart, score = self.base, self.share * length, 0.0
        for weight, often in zip(weights, counts, strict=True):
            if often:
                score += weight * often / (often + base + apart)
        return score


def count_in_rows(weight: float, postings: "Iterable[tuple[int, Postings]]", rows: range) -> "CountedWord | None":
    """Return how often each of some rows has a word; None if none has it."""
    found, large, most = bytearray(len(rows)), dict[int, int](), 0
    for first, posted in postings:
        having, counts = posted.between(rows.start - first, rows.stop - first)
        if not having:
            continue
        cut = counts if isinstance(counts, bytes) else cut_numbers(counts)
        start = first - rows.start
        most = max(most, most_often(cut))
        if MAX_BYTE in cut:
            large |= {start + row: count for row, count in zip(having, counts, strict=True) if count >= MAX_BYTE}
        put(found, start, having, cut)
    return (weight, found, large, most) if most else None


def put(column: bytearray, start: int, rows: "array[int] | range", values: bytes) -> None:
    """Put the values of some rows into a column, where the row 0 is at ``start``."""
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
    """Return the values of two columns, of which one has a 0 where the other has none."""
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return both.to_bytes(len(one), "little")


def most_often(counts: bytes) -> int:
    """Return at least the largest of some counts; all that are larger than MAX_DISTINCT_COUNT are equal."""
    for most in (1, 2, 4, MAX_DISTINCT_COUNT):
        counts = counts.translate(None, bytes(range(most + 1)))
        if not counts:
            return most
    return MAX_DISTINCT_COUNT + 1


def cut_numbers(numbers: "array[int] | memoryview[int]") -> bytes:
    """Return numbers as a byte each; larger ones are cut to MAX_BYTE."""
    data, size = numbers.tobytes(), numbers.itemsize
    low, *high = (data[place::size] for place in (range(size) if sys.byteorder == "little" else range(size)[::-1]))
    return bytes(map(min, numbers, repeat(MAX_BYTE))) if any(part.strip(b"\0") for part in high) else low


def add_up(numbers: bytes | bytearray, values: Sequence[int]) -> int:
    """Return the values of some numbers as the bytes of a large one; the last value is that of larger numbers too."""
    table = bytes(values).ljust(MAX_BYTE + 1, bytes(values[-1:]))
    return int.from_bytes(numbers.translate(table), "little")


def find_largest(data: bytearray, least: int, most: int) -> list[int]:
    """Return the places of the largest bytes that are not below one, but not of more than some."""
    if count_from(data, least) <= most:
        return find_bytes(data, range(least, MAX_BYTE + 1), most)
    values = range(least, MAX_BYTE + 1)
    edge = least + bisect_left(values, True, key=lambda value: count_from(data, value) <= most)
    found = find_bytes(data, range(edge, MAX_BYTE + 1), most)
    return found + find_bytes(data, range(edge - 1, edge), most - len(found))


def count_from(data: bytearray, least: int) -> int:
    """Return how many bytes are not below one."""
    return len(data.translate(None, bytes(range(least))))


def find_bytes(data: bytearray, wanted: range, most: int) -> list[int]:
    """Return the first places of bytes in a range, but not more than some."""
    flags = data.translate((bytes(wanted.start) + b"\1" * len(wanted)).ljust(MAX_BYTE + 1, b"\0"))
    found, place = list[int](), flags.find(1)
    while place >= 0 and len(found) < most:
        found.append(place)
        place = flags.find(1, place + 1)
    return found
