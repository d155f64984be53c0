"""Add up the scores of a question's words, the rarest first, for the documents that can be among the best.

What the words that are left add at most is known. Once that is less than the worst of the best so far, no other
document can be among them, and the words are looked up for those found alone (MaxScore). The result is that of scoring
all.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment import Postings
from .sparse_fusion import DIGITS

if TYPE_CHECKING:
    from array import array

HALF_DIGIT = 10**-DIGITS / 2
BLOCK_ROWS = 2_048  # scored before the worst of the best is asked for again (estimate)
RowScores = dict[int, float]


class Shape(NamedTuple):
    """BM25's terms: a word that a document has so ``often`` counts often / (often + base + share * length)."""

    base: float
    share: float


class WordPostings(NamedTuple):
    """Where a segment has a word, which adds less than ``weight`` to a score."""

    weight: float
    postings: Sequence[Postings]

    def limit(self, shape: Shape, shortest: int) -> float:
        """Return the most that it adds to one of the documents, none of which is shorter."""
        often = max(max(times) for _, times in self.postings)
        return self.weight * often / (often + shape.base + shape.share * shortest)


class LimitedPostings(NamedTuple):
    """Postings of a word; ``limit`` is the most that it and all commoner words add to a document."""

    limit: float
    weight: float
    posted: Postings


@dataclass(slots=True)
class BestScores:
    """The best scores so far by number, of equal ones the lower number.

    ``edge`` is the worst of them, and ``last`` its number, once there are ``most``.
    """

    most: int
    scores: dict[int, float] = field(default_factory=dict)
    edge: float = 0.0
    last: int = 0

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


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows of a segment, from ``start`` to before ``end``, with their ``lengths``."""

    lengths: "array[int]"
    shape: Shape
    start: int
    end: int

    def score(self, words: Iterable[LimitedPostings], least: float) -> RowScores:
        """Return the scores of the rows that reach a score; the rarest word comes first."""
        here = [word._replace(posted=word.posted.between(self.start, self.end)) for word in words]
        everywhere = [word for word in here if self.is_everywhere(word)]
        at_once = bool(everywhere) and everywhere[0].limit >= least
        found = self.add_everywhere(everywhere) if at_once else {}
        for word in here:
            if at_once and self.is_everywhere(word):
                continue
            if word.limit < least:
                found = {row: score for row, score in found.items() if score + word.limit >= least}
                self.add(found, word.weight, word.posted.among(found))
            else:
                self.add(found, word.weight, zip(*word.posted, strict=True))
        return found

    def is_everywhere(self, word: LimitedPostings) -> bool:
        """Return whether all rows have a word."""
        return len(word.posted.rows) == self.end - self.start

    def add(self, found: RowScores, weight: float, pairs: Iterable[tuple[int, int]]) -> None:
        """Add what a word adds to rows that have it so often."""
        lengths, (base, share) = self.lengths, self.shape
        for row, often in pairs:
            found[row] = found.get(row, 0.0) + weight * often / (often + base + share * lengths[row])

    def add_everywhere(self, words: Sequence[LimitedPostings]) -> RowScores:
        """Return the scores by words that all rows have: where counts and lengths are equal, so are scores."""
        alike = [*zip(self.lengths[self.start : self.end], *(word.posted.counts for word in words), strict=True)]
        weights, (base, share) = [word.weight for word in words], self.shape
        scores = {
            (length, *counts): sum(
                weight * often / (often + base + share * length) for weight, often in zip(weights, counts, strict=True)
            )
            for length, *counts in {*alike}
        }
        return dict(zip(range(self.start, self.end), map(scores.__getitem__, alike), strict=True))


def score_rows(
    lengths: "array[int]", words: Sequence[WordPostings], shape: Shape, best: BestScores
) -> Iterator[RowScores]:
    """Yield the scores of a segment's rows that can be among the best as they are then, block by block."""
    ordered, shortest = sorted(words, key=lambda word: word.weight), min(lengths)
    limits = accumulate(word.limit(shape, shortest) for word in ordered)
    rarest_first = [
        LimitedPostings(limit, word.weight, posted)
        for limit, word in [*zip(limits, ordered, strict=True)][::-1]
        for posted in word.postings
    ]
    for start in range(0, len(lengths), BLOCK_ROWS):
        block = Block(lengths, shape, start, min(start + BLOCK_ROWS, len(lengths)))
        yield block.score(rarest_first, best.edge - HALF_DIGIT)
