"""Add up the scores (BM25) of a query's words, rarest first; skip documents that cannot be among the best (MaxScore).

What the words that are left add at most is known. Once that is less than the worst of the best so far, no other
document can be among them, and the words are looked up only for those found so far. Before that, documents that
are too long, or have the word too rarely, are skipped. The result is that of scoring all.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import chain, compress
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .sparse_fusion import DIGITS

if TYPE_CHECKING:
    from array import array

    from .segment import Postings

    # A word: it adds less than its weight to a score.
    WeighedWord: TypeAlias = tuple[float, Sequence[Postings]]
    # A word: the most that it and all commoner words add, its postings, and the weights and highest counts of them all.
    LimitedWord: TypeAlias = tuple[float, Postings, Sequence[tuple[float, int]]]
    # The numbers of documents and how many words each has, row by row; and all lengths from the shortest on.
    Columns: TypeAlias = tuple[array[int], array[int], range]

HALF_DIGIT = 10**-DIGITS / 2
BLOCK_ROWS = 512  # of the first block: few, since all of them are scored (of 256 to 2,048 about as fast)
COUNT_ERROR = 1e-6  # is more than what rounding adds to how often a word is needed
MIN_SELECTED_ROWS = 512  # scoring fewer rows is faster than selecting among them (estimate)
RowScores = dict[int, float]


@dataclass(slots=True)
class BestScores:
    """The best scores so far by number, of equal ones the lower number.

    A word that a text of ``length`` words has so ``often`` counts often / (often + base + share * length). ``edge`` is
    the worst of the scores, and ``last`` its number, once there are ``most``; ``scored`` is how many rows were tried.
    """

    most: int
    base: float
    share: float
    scores: dict[int, float] = field(default_factory=dict)
    edge: float = 0.0
    last: int = 0
    scored: int = 0

    def add(self, numbers: "array[int]", found: RowScores) -> Sequence[int]:
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

    def score_rows(self, columns: "Columns", words: "Sequence[WeighedWord]") -> Iterator[RowScores]:
        """Yield the scores of a segment's rows that can be among the best as they are then, block by block.

        A block has at most as many rows as all before it: the more were scored, the rarer is one among the best.
        """
        _, lengths, span = columns
        limited, size, start = self.limit(words, span.start), len(lengths), 0
        while start < size:
            rows = range(start, min(start + max(BLOCK_ROWS, self.scored), size))
            yield self.score_block(columns, rows, limited)
            self.scored += len(rows)
            start = rows.stop

    def limit(self, words: "Sequence[WeighedWord]", shortest: int) -> "list[LimitedWord]":
        """Return the words, the rarest first, with their limits in documents of which none is shorter."""
        ordered = sorted(words, key=lambda word: word[0], reverse=True)
        rates = [(weight, max(most_often(counts) for _, counts in postings)) for weight, postings in ordered]
        return [
            (self.rate(rates[place:], shortest), posted, rates[place:])
            for place, (_, postings) in enumerate(ordered)
            for posted in postings
        ]

    def rate(self, words: Iterable[tuple[float, int]], length: int) -> float:
        """Return what words of some weights add to the score of a document that has each so often."""
        apart = self.base + self.share * length
        return sum(weight * often / (often + apart) for weight, often in words)

    def score_block(self, columns: "Columns", rows: range, words: "Iterable[LimitedWord]") -> RowScores:
        """Return the scores of the rows that can be among the best; the rarest word comes first."""
        least, found = self.edge - HALF_DIGIT, dict[int, float]()
        for limit, posted, rest in words:
            here = posted.between(rows.start, rows.stop)
            if limit < least:
                found = {row: score for row, score in found.items() if score + limit >= least}
                pairs: Iterable[tuple[int, int]] = here.among(found)
            elif self.edge and len(here.rows) >= MIN_SELECTED_ROWS:
                fresh = self.select_rows(columns, rows, (limit, here, rest))
                pairs = dict(chain(fresh, here.among(found))).items()
            else:
                pairs = zip(*here, strict=True)
            self.add_word(found, columns[1], rest[0][0], pairs)
        return found

    def select_rows(self, columns: "Columns", rows: range, word: "LimitedWord") -> Iterable[tuple[int, int]]:
        """Return rows with a word and how often they have it, if they can be among the best without a rarer word."""
        (numbers, lengths, span), (_, (having, counts), rest) = columns, word
        longest, surely = (
            span.start - 1 + bisect_left(span, True, key=lambda length: self.rate(rest, length) < score)
            for score in (self.edge - HALF_DIGIT, self.edge + HALF_DIGIT)
        )
        fewest, last = self.fewest(rest, span.start), self.last
        pairs: Iterator[tuple[int, int]] = zip(having, counts, strict=True)
        if longest == span[-1]:
            return pairs if fewest <= 1 else (pair for pair in pairs if pair[1] >= fewest)
        own = lengths[rows.start : rows.stop] if len(having) == len(rows) else map(lengths.__getitem__, having)
        return (
            (row, count)
            for row, count in compress(pairs, map(longest.__ge__, own))
            if count >= fewest and (lengths[row] <= surely or numbers[row] < last)
        )

    def fewest(self, words: Sequence[tuple[float, int]], shortest: int) -> int:
        """Return how often a document must have the first of some words at least, to be among the best by them."""
        (weight, _), *commoner = words
        needed = self.edge - HALF_DIGIT - self.rate(commoner, shortest)
        if needed <= 0:
            return 1
        count: int = ceil(needed * (self.base + self.share * shortest) / (weight - needed) - COUNT_ERROR)
        return count

    def add_word(
        self, found: RowScores, lengths: "array[int]", weight: float, pairs: Iterable[tuple[int, int]]
    ) -> None:
        """Add what a word adds to rows that have it so often."""
        base, share = self.base, self.share
        for row, often in pairs:
            found[row] = found.get(row, 0.0) + weight * often / (often + base + share * lengths[row])


def most_often(counts: "array[int]") -> int:
    """Return the largest of some counts."""
    return counts[0] if is_constant(counts) else max(counts)


def is_constant(counts: "array[int]") -> bool:
    """Return whether all counts are equal, much faster than reading each."""
    return counts == counts[:1] * len(counts)
