"""Add up the scores (BM25) of a query's words; skip documents whose upper bound is too low, as MaxScore does.

The documents of all segments are one sequence of rows. The upper bounds of all rows are computed at once: they
are the bytes of one large number, so that a single addition adds a common word's part to each of them. The rows with
the highest bounds are scored, until no other can be among the best. The result equals that of scoring all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from math import ceil, floor
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment import MAX_BYTE
from .sparse_fusion import DIGITS
from .word_counts import CommonWord, RareWord

if TYPE_CHECKING:
    from .word_counts import WordCounts

    # The numbers of documents and how many words each has, row by row; the latter also as bytes, cut to MAX_BYTE; and
    # all lengths from the shortest on.
    Columns: TypeAlias = tuple[Sequence[int], Sequence[int], bytes, range]
    # A word: it adds less than its weight to a score; and how often each row has it.
    WeighedWord: TypeAlias = tuple[float, WordCounts]

HALF_DIGIT = 10**-DIGITS / 2
FIRST_SCORED = 256  # rows that are scored at first, then twice as many each time (estimate)
MAX_DISTINCT_COUNT = 8  # a word that is more often in a text hardly adds more to its score (estimate)
SAMPLED_ROWS = 64  # one of so many says how much the best rows reach (estimate)
MAX_LIMITED_WORDS = (MAX_BYTE - 3) // 2  # each takes two units of a byte for rounding; of more, all rows are scored
ROUNDING_ERROR = 1e-6  # is more than the error of a quotient of two scores
RowScores = Mapping[int, float]


@dataclass(slots=True)
class BestScores:
    """The best scores so far by number; on ties, the lower number.

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
        rounded = {score: round(score, DIGITS) for score in {*map(found.__getitem__, rows)}}
        known = self.scores | {numbers[row]: rounded[found[row]] for row in rows}
        ranked = sorted(sorted(known), key=known.__getitem__, reverse=True)[: self.most]
        self.scores = {number: known[number] for number in ranked}
        if len(ranked) == self.most:
            self.last = ranked[-1]
            self.edge = known[self.last]
        return [row for row in rows if numbers[row] in self.scores]

    def score_rows(self, columns: "Columns", words: "Iterable[WeighedWord]") -> Iterator[RowScores]:
        """Yield the scores of the rows that can still be among the best, those with the highest bounds first."""
        ordered = sorted(words, key=itemgetter(0), reverse=True)
        scored, most = list[int](), FIRST_SCORED
        while ordered and (limited := self.limit_rows(columns, ordered)):
            limits, needed = limited
            for row in scored:
                limits[row] = 0
            rows = find_largest(limits, needed, most)
            if rows:
                yield self.score_some(columns, rows, ordered)
            if len(rows) < most:
                return
            scored += rows
            most *= 2

    def limit_rows(self, columns: "Columns", words: "Sequence[WeighedWord]") -> tuple[bytearray, int] | None:
        """Return the upper bounds of rows, and the bound needed to be among the best; None if no row reaches it.

        A word that is in a row once adds its weight / (1 + base + share * length), and more often at most as much more
        as in the longest row. Both sides are multiplied by what the weight is divided by: then lengths only change what
        has to be reached. All is rounded to whole units; the length of a row adds what longer ones have to reach more.
        More words than MAX_LIMITED_WORDS limit nothing.
        """
        _, _, lengths, span = columns
        if len(words) > MAX_LIMITED_WORDS:
            return bytearray([MAX_BYTE]) * len(lengths), MAX_BYTE
        shortest, longest = min(span[0], MAX_BYTE), min(span[-1], MAX_BYTE)
        lowest, highest, enough = map(self.needed_score, (shortest, longest, span[-1]))
        gains = [[min(gain, enough or gain) for gain in self.gains(weight, word.most, span)] for weight, word in words]
        total = sum(row[-1] for row in gains)
        if lowest > total:
            return None
        unit = (total + min(highest, total) - lowest) / (MAX_BYTE - 2 - 2 * len(words))
        limit = floor(total / unit) + len(words) + 1
        exact = (self.needed_score(length) / unit - ROUNDING_ERROR for length in range(shortest, longest + 1))
        needed = [max(1, min(limit, floor(one))) for one in exact]
        units = [[ceil(gain / unit) for gain in row] for row in gains]
        summed = add_up(lengths, [0] * shortest + [needed[-1] - one for one in needed])
        for (_, word), added in zip(words, units, strict=True):
            if not isinstance(word, RareWord):
                summed += add_up(word.column, added)
        limits = bytearray(summed.to_bytes(len(lengths), "little"))
        for (_, word), added in zip(words, units, strict=True):
            if isinstance(word, RareWord):
                add_to(limits, word.counts, added)
        return limits, needed[-1]

    def needed_score(self, length: int) -> float:
        """Return the score that a row's words must add, multiplied by the divisor of each word's weight."""
        least: float = max(0.0, self.edge - HALF_DIGIT)
        return least * (1 + self.base + self.share * length)

    def gains(self, weight: float, most: int, span: range) -> list[float]:
        """Return by count in a row the most that a word adds, multiplied by the same divisor."""
        far = self.base + self.share * span[-1]
        gains = [weight * often * (1 + far) / (often + far) for often in range(min(most, MAX_DISTINCT_COUNT) + 1)]
        return gains if most <= MAX_DISTINCT_COUNT else [*gains, weight * (1 + far)]

    def score_some(self, columns: "Columns", rows: Sequence[int], words: "Sequence[WeighedWord]") -> RowScores:
        """Return the scores of some rows. For common words, equal rows are scored once."""
        lengths = itemgetter(slice(0), *rows)(columns[1])[1:]
        common = [(weight, word) for weight, word in words if isinstance(word, CommonWord)]
        profiles = list(zip(lengths, *(word.pick(rows) for _, word in common), strict=True))
        weights = [weight for weight, _ in common]
        known = {profile: self.score(profile, weights) for profile in {*profiles}}
        scores = dict(zip(rows, map(known.__getitem__, profiles), strict=True))
        base, share, long = self.base, self.share, dict(zip(rows, lengths, strict=True))
        for weight, word in words:
            if isinstance(word, RareWord):
                for row, often in word.among(scores):
                    scores[row] += weight * often / (often + base + share * long[row])
        return scores

    def score(self, profile: Sequence[int], weights: Sequence[float]) -> float:
        """Return the score of a document, by its number of words and how often each word occurs."""
        length, *counts = profile
        base, apart, score = self.base, self.share * length, 0.0
        for weight, often in zip(weights, counts, strict=True):
            if often:
                score += weight * often / (often + base + apart)
        return score


def add_up(numbers: bytes | bytearray, values: Sequence[int]) -> int:
    """Look up each number's value, and pack the values in one integer; numbers beyond the table use its last value."""
    table = bytes(values).ljust(MAX_BYTE + 1, bytes(values[-1:]))
    return int.from_bytes(numbers.translate(table), "little")


def add_to(limits: bytearray, counts: Mapping[int, int], values: Sequence[int]) -> None:
    """Add to each row's limit the value for its count; counts beyond the table use its last value."""
    most = len(values) - 1
    for row, count in counts.items():
        limits[row] += values[count if count < most else most]


def find_largest(data: bytearray, least: int, most: int) -> list[int]:
    """Return the places of the largest bytes that are not below a value, up to a limit."""
    edge, larger = find_edge(data, least, most)
    found = find_bytes(data, range(edge, MAX_BYTE + 1), most)
    return found + find_bytes(data, range(edge - 1, edge), most - larger) if edge > least else found


def find_edge(data: bytes | bytearray, least: int, most: int) -> tuple[int, int]:
    """Return the lowest byte value that at most a given number of bytes reach, and how many do.

    A sample says where it is likely to be, so that only a few bytes are looked at again.
    """
    sample = sorted(data[::SAMPLED_ROWS])[-2 * (most // SAMPLED_ROWS + 1) :]
    likely = max(least, sample[0])
    kept = from_byte(data, likely)
    if len(kept) <= most and likely > least:
        likely, kept = least, from_byte(data, least)
    if len(kept) <= most:
        return least, len(kept)
    low, high, larger = likely, MAX_BYTE + 1, 0
    while high - low > 1:
        middle = (low + high) // 2
        above = from_byte(kept, middle)
        if len(above) > most:
            low, kept = middle, above
        else:
            high, larger = middle, len(above)
    return high, larger


def from_byte(data: bytes | bytearray, least: int) -> bytes | bytearray:
    """Return the bytes that are not below a value."""
    return data.translate(None, bytes(range(least)))


def find_bytes(data: bytearray, wanted: range, most: int) -> list[int]:
    """Return the first places of bytes in a range, up to a limit."""
    flags = data.translate((bytes(wanted.start) + b"\1" * len(wanted)).ljust(MAX_BYTE + 1, b"\0"))
    found, place = list[int](), flags.find(1)
    while place >= 0 and len(found) < most:
        found.append(place)
        place = flags.find(1, place + 1)
    return found
