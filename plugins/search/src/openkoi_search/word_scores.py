"""Add up the scores of a question's words, the rarest first, for the documents that can be among the best.

What the words that are left add at most is known. Once that is less than the worst of the best so far, no other
document can be among them, and the words are looked up for those found alone (MaxScore). The result is that of scoring
all.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import accumulate, compress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .sparse_fusion import DIGITS

if TYPE_CHECKING:
    from array import array

    from .segment import Postings

    # A word: it adds less than its weight to a score. And with the most that it and all commoner words add.
    WeighedWord: TypeAlias = tuple[float, Sequence[Postings]]
    LimitedWord: TypeAlias = tuple[float, float, Postings]

HALF_DIGIT = 10**-DIGITS / 2
BLOCK_ROWS = 512  # of the first block: few, since all of them are scored (of 256 to 2,048 about as fast)
RowScores = dict[int, float]


class Columns(NamedTuple):
    """The numbers of documents and how many words each has, row by row."""

    numbers: "array[int]"
    lengths: "array[int]"


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

    def score_rows(self, columns: "Columns", words: "Sequence[WeighedWord]", *, shortest: int) -> Iterator[RowScores]:
        """Yield the scores of a segment's rows that can be among the best as they are then, block by block.

        A block has at most as many rows as all before it: the more were scored, the rarer is one among the best.
        """
        limited, size, start = self.limit(words, shortest), len(columns.lengths), 0
        while start < size:
            rows = range(start, min(start + max(BLOCK_ROWS, self.scored), size))
            yield self.score_block(columns, rows, limited)
            self.scored += len(rows)
            start = rows.stop

    def limit(self, words: "Sequence[WeighedWord]", shortest: int) -> "list[LimitedWord]":
        """Return the words, the rarest first, with their limits in documents of which none is shorter."""
        ordered = sorted(words, key=lambda word: word[0])
        often = [max(most_often(counts) for _, counts in postings) for _, postings in ordered]
        each = (self.rate(weight, most, shortest) for (weight, _), most in zip(ordered, often, strict=True))
        limited = [*zip(accumulate(each), ordered, strict=True)][::-1]
        return [(limit, weight, posted) for limit, (weight, postings) in limited for posted in postings]

    def rate(self, weight: float, often: int, length: int) -> float:
        """Return what a word adds to the score of a document."""
        return weight * often / (often + self.base + self.share * length)

    def score_block(self, columns: "Columns", rows: range, words: "Iterable[LimitedWord]") -> RowScores:
        """Return the scores of the rows that can be among the best; the rarest word comes first."""
        least, size, lengths = self.edge - HALF_DIGIT, len(rows), columns.lengths
        here = [(limit, weight, posted.between(rows.start, rows.stop)) for limit, weight, posted in words]
        everywhere = [word for word in here if len(word[-1].rows) == size]
        at_once = bool(everywhere) and everywhere[0][0] >= least
        found = self.score_everywhere(columns, rows, here) if at_once else {}
        for limit, weight, posted in here:
            if at_once and len(posted.rows) == size:
                continue
            if limit < least:
                found = {row: score for row, score in found.items() if score + limit >= least}
                self.add_word(found, lengths, weight, posted.among(found))
            else:
                self.add_word(found, lengths, weight, zip(*posted, strict=True))
        return found

    def add_word(
        self, found: RowScores, lengths: "array[int]", weight: float, pairs: Iterable[tuple[int, int]]
    ) -> None:
        """Add what a word adds to rows that have it so often."""
        base, share = self.base, self.share
        for row, often in pairs:
            found[row] = found.get(row, 0.0) + weight * often / (often + base + share * lengths[row])

    def score_everywhere(self, columns: "Columns", rows: range, words: "Sequence[LimitedWord]") -> RowScores:
        """Return the scores by words that all rows have, of the rows that they put among the best or have others."""
        everywhere = [(weight, posted.counts) for _, weight, posted in words if len(posted.rows) == len(rows)]
        others = [posted.rows for _, _, posted in words if len(posted.rows) < len(rows)]
        alike, scores = self.score_alike(columns.lengths[rows.start : rows.stop], everywhere)
        low, high, last, start = self.edge - HALF_DIGIT, self.edge + HALF_DIGIT, self.last, rows.start
        enough = {one for one, score in scores.items() if score > low}
        better = {one for one in enough if scores[one] > high}
        found = compress(rows, map(enough.__contains__, alike))
        best = {row for row in found if columns.numbers[row] < last or alike[row - start] in better}
        return {row: scores[alike[row - start]] for row in best.union(*others)}

    def score_alike(
        self, lengths: "array[int]", words: "Sequence[tuple[float, array[int]]]"
    ) -> tuple[Sequence[object], dict[object, float]]:
        """Return what tells rows with other scores apart, row by row, and the score of each such value.

        Where lengths and those counts that vary are equal, so are scores.
        """
        varied = {place: counts for place, (_, counts) in enumerate(words) if not is_constant(counts)}
        often = [counts[0] for _, counts in words]
        alike = [*zip(lengths, *varied.values(), strict=True)] if varied else lengths
        scores: dict[object, float] = {}
        for one in {*alike}:
            length, *counts = one if isinstance(one, tuple) else (one,)
            for place, count in zip(varied, counts, strict=True):
                often[place] = count
            scores[one] = sum(self.rate(weight, count, length) for (weight, _), count in zip(words, often, strict=True))
        return alike, scores


def most_often(counts: "array[int]") -> int:
    """Return the largest of some counts."""
    return counts[0] if is_constant(counts) else max(counts)


def is_constant(counts: "array[int]") -> bool:
    """Return whether all counts are equal, much faster than reading each."""
    return counts == counts[:1] * len(counts)
