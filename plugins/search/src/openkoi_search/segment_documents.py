"""Rank the documents of an index, with the standard library alone: what is asked of it is read, and nothing else.

A document's terms are those of BM25 over the scopes that a query may see, as in the tables of a database.
"""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING, ClassVar

from openkoi_hookspecs import Query
from openkoi_hookspecs.lazy_dataclass import dataclass

from .bm25 import K1, B, rarity
from .hit_selection import FoundDocument
from .scopes import EVERYONE, scope_of
from .segment import VECTOR_SCALE, Postings, Segment
from .segment_index import SegmentIndex
from .sparse_fusion import DIGITS, Scores, WordMatch

if TYPE_CHECKING:
    from .ranking import Pairs

RowScores = dict[int, float]
ROUNDING = 10**-DIGITS
MAX_PLACES = 65_536  # of a vector: two bytes say which


@dataclass(frozen=True, slots=True)
class SegmentDocuments:
    """The documents of an index, as ``rank_documents`` asks for them. ``shape`` is BM25's k1 and b."""

    index: SegmentIndex
    shape: tuple[float, float] = (K1, B)

    def visible_scopes(self, query: Query) -> Sequence[str]:
        """Return the scopes that a query may see."""
        return [scope_of(query.project), EVERYONE] if query.scope == "project" else list(self.index.shelves)

    def rank_by_words(self, query: Query, shelves: Sequence[str], words: Collection[str], most: int) -> Scores:
        """Score documents by their words."""
        posted = {word: self.postings(word, shelves) for word in words}
        size, mean = self.measure(shelves)
        if not mean:
            return {}
        k1, b = self.shape
        base, share = k1 * (1 - b), k1 * b / mean
        scores: list[RowScores] = [{} for _ in self.index.segments]
        for word in words:
            weight = self.weigh(sum(len(postings.rows) for _, postings in posted[word]), size)
            for place, (rows, times) in posted[word]:
                lengths, found = self.index.segments[place].lengths, scores[place]
                for row, often in zip(rows, times, strict=True):
                    found[row] = found.get(row, 0.0) + weight * often / (often + base + share * lengths[row])
        return self.best([self.keep_wanted(query, place, found) for place, found in enumerate(scores)], most)

    def count_documents(self, word: str, shelves: Sequence[str]) -> int:
        """Return how many documents contain a word."""
        return sum(len(postings.rows) for _, postings in self.postings(word, shelves))

    def weigh(self, count: int, size: int) -> float:
        """Return the most that a word adds to a score if so many documents of all contain it: the rarer, the more."""
        return rarity(count, size) * (self.shape[0] + 1)

    def measure(self, shelves: Collection[str]) -> tuple[int, float]:
        """Return how many documents there are in some scopes, and how many words each has on average."""
        sizes = [size for name, size in self.index.shelves.items() if name in shelves]
        count = sum(size.documents for size in sizes)
        return count, sum(size.words for size in sizes) / count if count else 1.0

    def postings(self, word: str, shelves: Sequence[str]) -> list[tuple[int, Postings]]:
        """Return the current postings of a word, each with the place of its segment."""
        restricted = None if self.index.shelves.keys() <= {*shelves} else shelves
        return [
            (place, posted if not dead else drop_dead(posted, dead))
            for place, (segment, dead) in enumerate(self.index.living)
            for posted in segment.postings(word, restricted)
        ]

    def keep_wanted(self, query: Query, place: int, scores: RowScores) -> RowScores:
        """Return the scores of the documents that have a kind and a key that the query names."""
        segment = self.index.segments[place]
        if query.kinds:
            wanted, kinds = segment.kinds(query.kinds), segment.kind_places
            scores = {row: score for row, score in scores.items() if kinds[row] in wanted}
        if query.keys:
            scores = {row: score for row, score in scores.items() if {*segment.document(row).keys} & {*query.keys}}
        return scores

    def best(self, scores: Sequence[RowScores], most: int) -> Scores:
        """Return the best scores of all segments by number, of equal ones the lower number."""
        every = sorted(chain.from_iterable(found.values() for found in scores), reverse=True)  # 3 x as fast as nlargest
        edge = every[most - 1] - 2 * ROUNDING if 0 < most <= len(every) else 0.0
        chosen = {
            segment.numbers[row]: round(score, DIGITS)
            for segment, found in zip(self.index.segments, scores, strict=True)
            for row, score in found.items()
            if score > edge
        }
        ranked = sorted(sorted(chosen), key=chosen.__getitem__, reverse=True)  # a word may be in every document
        return {number: chosen[number] for number in ranked[:most]}

    def compare(self, vector: Mapping[int, float], docs: Collection[int]) -> Scores:
        """Return the cosines of documents and a vector."""
        found: dict[int, float] = {}
        asked = [0.0] * MAX_PLACES
        for place, value in vector.items():
            asked[place] = value / VECTOR_SCALE
        for doc, (place, row) in self.locate(docs).items():
            places, values = self.index.segments[place].vector(row)
            found[doc] = sum(map(mul, map(asked.__getitem__, places), values))
        return found

    def filter_documents(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Return those of the documents that match the query's kinds and keys."""
        found = self.locate(docs)
        return [doc for doc, (place, row) in found.items() if self.keep_wanted(query, place, {row: 0.0})]

    def locate(self, docs: Iterable[int]) -> Mapping[int, tuple[int, int]]:
        """Return the segment and row of those of the documents that are current."""
        found = {doc: self.index.find(doc) for doc in docs}
        return {doc: where for doc, where in found.items() if where}

    def find_neighbours(self, docs: Collection[int]) -> "Pairs":
        """Return pairs of consecutive chunks of a transcript."""
        pairs: dict[int, int] = {}
        for doc, (place, row) in self.locate(docs).items():
            segment = self.index.segments[place]
            if segment.after[row] >= 0:
                pairs[doc] = segment.numbers[segment.after[row]]
            if segment.before[row] >= 0:
                pairs[segment.numbers[segment.before[row]]] = doc
        return list(pairs.items())

    def find_words(
        self, shelves: Sequence[str], words: Collection[str], docs: Collection[int]
    ) -> Mapping[str, WordMatch]:
        """Return those of the words that are known, each with those of the documents that contain it."""
        numbers: dict[int, dict[int, int]] = {}
        for doc, (place, row) in self.locate(docs).items():
            numbers.setdefault(place, {})[row] = doc
        size, _ = self.measure(shelves)
        found = {}
        for word in words:
            posted = self.postings(word, shelves)
            if count := sum(len(postings.rows) for _, postings in posted):
                inside = ((numbers[place], postings.rows) for place, postings in posted if place in numbers)
                having = {asked[row] for asked, rows in inside for row in asked.keys() & rows}
                found[word] = (rarity(count, size), having)
        return found

    def fetch_documents(self, scores: Scores) -> list[FoundDocument]:
        """Read the documents that were scored."""
        return [
            make_found(self.index.segments[place], row, scores[doc])
            for doc, (place, row) in self.locate(scores).items()
        ]


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A question's words and their pieces, compared with those of the documents that share words with it.

    Comparing all documents found no more (tests/benchmarks/recall.py).
    """

    text: str
    dimensions: int
    weight: float
    tells_meaning: ClassVar[bool] = False

    def measure(
        self, documents: SegmentDocuments, shelves: Sequence[str], docs: Collection[int], most: int
    ) -> Mapping[int, float]:
        """Return the cosines of these documents."""
        from .lexical.hashing import sparse_vector
        from .lexical.words import count_words

        return documents.compare(sparse_vector(count_words(self.text), self.dimensions), docs)


def drop_dead(postings: Postings, dead: Collection[int]) -> Postings:
    """Return postings without outdated documents."""
    kept = [(row, count) for row, count in zip(*postings, strict=True) if row not in dead]
    return Postings(array("I", [row for row, _ in kept]), array("H", [count for _, count in kept]))


def make_found(segment: Segment, row: int, score: float) -> FoundDocument:
    """Return a document that was found."""
    one = segment.document(row)
    return FoundDocument(score, one.moment, one.id, one.kind, one.learned, one.memo, doc=one.number)
