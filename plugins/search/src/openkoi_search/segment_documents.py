"""Rank the documents of an index with the standard library alone, reading only what a query needs.

A document's terms are those of BM25 over the scopes that a query may see, as in the tables of a database.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from openkoi_hookspecs import Query
from openkoi_hookspecs.lazy_dataclass import dataclass

from .bm25 import K1, B, rarity
from .hit_selection import FoundDocument
from .scopes import EVERYONE, scope_of
from .segment import NO_ROW, VECTOR_SCALE, Postings, Segment, Vector, word_key
from .segment_index import SegmentIndex
from .sparse_fusion import Scores, WordMatch
from .word_counts import WordCounts, count_word
from .word_scores import BestScores, RowScores

if TYPE_CHECKING:
    from .ranking import Pairs
    from .word_scores import WeighedWord

    Asked: TypeAlias = Mapping[int, tuple[int, int, float]]


@dataclass(frozen=True, slots=True)
class SegmentDocuments:
    """The documents of an index, to be ranked for one query. ``shape`` is BM25's k1 and b.

    ``where`` and ``known`` are what was looked up: the segments and rows of documents, and the counts of words.
    """

    index: SegmentIndex
    shape: tuple[float, float] = (K1, B)
    where: dict[int, tuple[int, int] | None] = field(default_factory=dict)
    known: dict[tuple[str, ...], WordCounts | None] = field(default_factory=dict)

    def visible_scopes(self, query: Query) -> Sequence[str]:
        """Return the scopes that a query may see."""
        return [scope_of(query.project), EVERYONE] if query.scope == "project" else list(self.index.scopes)

    def rank_by_words(self, query: Query, scopes: Sequence[str], words: Collection[str], most: int) -> Scores:
        """Score documents by their words."""
        size, mean = self.measure(scopes)
        if not (size and mean):
            return {}
        k1, b = self.shape
        best = BestScores(most, base=k1 * (1 - b), share=k1 * b / mean)
        columns, starts = self.index.columns, self.index.starts
        numbers = columns[0]
        for found in best.score_rows(columns, self.weigh_words(words, scopes, size)):
            for row in best.add(numbers, self.keep_wanted(query, found)):
                place = bisect_right(starts, row) - 1
                self.where[numbers[row]] = place, row - starts[place]
        return best.scores

    def weigh_words(self, words: Iterable[str], scopes: Sequence[str], size: int) -> "Iterator[WeighedWord]":
        """Yield the known words, and what each adds, given the number of documents."""
        for word in words:
            if counted := self.count(word, scopes):
                yield self.weigh(counted.size, size), counted

    def weigh(self, count: int, size: int) -> float:
        """Return the most that a word can add to a score; rarer words can add more."""
        return rarity(count, size) * (self.shape[0] + 1)

    def measure(self, scopes: Collection[str]) -> tuple[int, float]:
        """Return how many documents there are in some scopes, and how many words each has on average."""
        sizes = [size for name, size in self.index.scopes.items() if name in scopes]
        count = sum(size.documents for size in sizes)
        return count, sum(size.words for size in sizes) / count if count else 1.0

    def count(self, word: str, scopes: Sequence[str]) -> WordCounts | None:
        """Return how often each current document has a word; None if no document does."""
        asked = (word, *scopes)
        if asked not in self.known:
            self.known[asked] = count_word(self.read_postings(word, scopes), self.index.rows)
        return self.known[asked]

    def read_postings(self, word: str, scopes: Sequence[str]) -> Sequence[tuple[int, Postings]]:
        """Read the current postings of a word, each with the first row of its segment."""
        restricted = None if self.index.scopes.keys() <= {*scopes} else scopes
        key = word_key(word)
        return [
            (start, posted.without(dead) if dead else posted)
            for start, (segment, dead) in zip(self.index.starts, self.index.living, strict=True)
            for posted in segment.postings(key, restricted)
        ]

    def keep_wanted(self, query: Query, found: RowScores) -> RowScores:
        """Return the scores of the documents that have a kind and a key that the query names."""
        if not (query.kinds or query.keys):
            return found
        places = ((row, bisect_right(self.index.starts, row) - 1) for row in found)
        return {
            row: found[row] for row, place in places if self.is_wanted(query, place, row - self.index.starts[place])
        }

    def is_wanted(self, query: Query, place: int, row: int) -> bool:
        """Return whether a document has a kind and a key that the query names."""
        segment = self.index.segments[place]
        if query.kinds and segment.kind_names[segment.kind_places[row]] not in query.kinds:
            return False
        return not query.keys or not {*query.keys}.isdisjoint(segment.document(row).keys)

    def compare(self, vector: Mapping[int, float], docs: Collection[int]) -> Scores:
        """Return the cosines of documents and a vector."""
        asked = asked_places({at: value / VECTOR_SCALE for at, value in vector.items()})
        bits = sum(bit for bit, *_ in asked.values())
        where = self.locate(docs).items()
        return {doc: multiply(self.index.segments[place].vector(row), asked, bits) for doc, (place, row) in where}

    def filter_documents(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Return the documents, among these, that match the query's kinds and keys."""
        found = self.locate(docs)
        return [doc for doc, (place, row) in found.items() if self.is_wanted(query, place, row)]

    def locate(self, docs: Iterable[int]) -> Mapping[int, tuple[int, int]]:
        """Return the segment and row of the documents that are current."""
        if asked := [doc for doc in docs if doc not in self.where]:
            self.where.update(dict.fromkeys(asked))
            self.where.update(self.index.find(asked))
        return {doc: where for doc in docs if (where := self.where[doc])}

    def find_neighbours(self, docs: Collection[int]) -> "Pairs":
        """Return pairs of consecutive chunks of a transcript."""
        pairs: dict[int, int] = {}
        for doc, (place, row) in self.locate(docs).items():
            segment = self.index.segments[place]
            following = self.number_at(place, segment.after[row], self.index.next_pieces.get(doc))
            previous = self.number_at(place, segment.before[row], self.index.previous_pieces.get(doc))
            if following is not None:
                pairs[doc] = following
            if previous is not None:
                pairs[previous] = doc
        return list(pairs.items())

    def number_at(self, place: int, row: int, elsewhere: int | None) -> int | None:
        """Return the number of a row's document, and cache its position; return ``elsewhere`` if there is no row."""
        if row == NO_ROW:
            return elsewhere
        number = self.index.segments[place].numbers[row]
        if row not in self.index.dead[place]:
            self.where[number] = place, row
        return number

    def find_words(
        self, scopes: Sequence[str], words: Collection[str], docs: Collection[int]
    ) -> Mapping[str, WordMatch]:
        """Return the known words among these, each with the documents that contain it."""
        starts, (size, _) = self.index.starts, self.measure(scopes)
        rows = {starts[place] + row: doc for doc, (place, row) in self.locate(docs).items()}
        counted = {word: one for word in words if (one := self.count(word, scopes))}
        return {
            word: (rarity(one.size, size), {rows[row] for row, _ in one.among(rows)}) for word, one in counted.items()
        }

    def fetch_documents(self, scores: Scores) -> list[FoundDocument]:
        """Read the documents that were scored."""
        return [
            make_found(self.index.segments[place], row, scores[doc])
            for doc, (place, row) in self.locate(scores).items()
        ]


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A query's words and word pieces, compared with those of documents that share words with it.

    Comparing all documents found no more (tests/benchmarks/recall.py).
    """

    text: str
    dimensions: int
    weight: float
    tells_meaning: ClassVar[bool] = False

    def measure(
        self, documents: SegmentDocuments, scopes: Sequence[str], docs: Collection[int], most: int
    ) -> Mapping[int, float]:
        """Return the cosines of these documents."""
        from .lexical.hashing import sparse_vector
        from .lexical.words import count_words

        return documents.compare(sparse_vector(count_words(self.text), self.dimensions), docs)


def make_found(segment: Segment, row: int, score: float) -> FoundDocument:
    """Return a document that was found."""
    one = segment.document(row)
    return FoundDocument(score, one.moment, one.id, one.kind, one.learned, one.memo, doc=one.number)


def asked_places(weights: Mapping[int, float]) -> "Asked":
    """Prepare a vector for products: for each position from 1, its bit, the bits of lower positions, and its value."""
    return {place + 1: (1 << place, (1 << place) - 1, weight) for place, weight in weights.items()}


def multiply(vector: Vector, asked: "Asked", bits: int) -> float:
    """Return the dot product of a prepared vector and another one, whose nonzero positions are these bits."""
    places, values = vector
    found, common = 0.0, places & bits
    while common:
        bit, below, weight = asked[common.bit_length()]
        common ^= bit
        found += weight * values[(places & below).bit_count()]
    return found
