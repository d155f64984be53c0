"""Keep all documents in memory as columns of numbers, for a process that searches repeatedly.

Results equal those of the tables, number for number.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from openkoi_hookspecs import Query
from openkoi_hookspecs.lazy_dataclass import dataclass

from .bm25 import K1, B, rarity
from .fusion import best_positions
from .hit_selection import FoundDocument
from .ranking import Pairs
from .scopes import EVERYONE, scope_of
from .sparse_fusion import DIGITS, Scores, WordMatch

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .base_and_tail import VectorLayers
    from .bm25 import Numbers
    from .vector_store import VectorStore

    Mask = NDArray[numpy.bool_]

DocumentContent = tuple[str, str, str, bool, str]


class DocumentLine(NamedTuple):
    """A document as its table row."""

    doc: int
    moment: str
    id: str
    kind: str
    learned: bool
    memo: str
    scope: str
    length: int
    keys: Sequence[str]


@dataclass(frozen=True, slots=True)
class WordPostings:
    """Words in any order, each with its number of documents; then those documents, and the word's count in each."""

    words: Sequence[tuple[str, int]]
    docs: "Numbers"
    times: "Numbers"


class VectorsOutdatedError(Exception):
    """The vectors in memory are out of date; read the file instead."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of some scopes.

    ``mask`` selects them unless all belong, ``size`` counts them, and ``lengths`` is BM25's length term.
    """

    mask: "Mask | None"
    size: int
    lengths: "NDArray[Any]"


@dataclass(frozen=True)
class InMemoryDocuments:
    """Documents sorted by their numbers; a row is a position among them.

    ``contents`` are the fields of a hit. ``slices`` locates the postings of a word in ``rows`` and
    ``times``. ``mark`` names the state of the vectors.
    """

    mark: str
    docs: "Numbers"
    contents: Sequence[DocumentContent]
    scopes: Sequence[str]
    places: "Numbers"
    lengths: "Numbers"
    slices: Mapping[str, tuple[int, int]]
    rows: "Numbers"
    times: "Numbers"
    kinds: Mapping[str, "Numbers"]
    keys: Mapping[str, "Numbers"]
    after: Mapping[int, int]
    before: Mapping[int, int]
    corpora: dict[tuple[str, ...], Corpus] = field(default_factory=dict)

    def visible_scopes(self, query: Query) -> Sequence[str]:
        """Return the scopes that a query may see."""
        return [scope_of(query.project), EVERYONE] if query.scope == "project" else self.scopes

    def rank_by_words(self, query: Query, scopes: Sequence[str], words: Collection[str], most: int) -> Scores:
        """Score documents by their words, with BM25."""
        import numpy

        corpus = self.corpus(scopes)
        found = numpy.zeros(len(self.docs))
        for word in words:
            rows, times = self.find_postings(word, corpus)
            if len(rows):
                found[rows] += rarity(len(rows), corpus.size) * times * (K1 + 1) / (times + corpus.lengths[rows])
        wanted = self.filter_mask(query)
        scores = numpy.round(found if wanted is None else found * wanted, DIGITS)
        chosen = best_positions(scores, most)
        return dict(zip(self.docs[chosen].tolist(), scores[chosen].tolist(), strict=True))

    def corpus(self, scopes: Sequence[str]) -> Corpus:
        """Return the documents of these scopes, cached."""
        known = self.corpora.get(tuple(scopes))
        if known is None:
            known = self.corpora[tuple(scopes)] = self.measure_corpus(scopes)
        return known

    def measure_corpus(self, scopes: Sequence[str]) -> Corpus:
        """Count the documents of these scopes, and compute their length terms."""
        import numpy

        wanted = [place for place, scope in enumerate(self.scopes) if scope in scopes]
        mask = numpy.isin(self.places, wanted)
        size = int(mask.sum())
        mean = self.lengths[mask].mean() if size else 1.0
        return Corpus(None if mask.all() else mask, size, K1 * (1 - B + B * self.lengths / (mean or 1.0)))

    def find_postings(self, word: str, corpus: Corpus) -> "tuple[Numbers, Numbers]":
        """Return the documents of a corpus that contain a word, and its counts."""
        start, end = self.slices.get(word, (0, 0))
        rows, times = self.rows[start:end], self.times[start:end]
        if corpus.mask is None:
            return rows, times
        inside = corpus.mask[rows]
        return rows[inside], times[inside]

    def filter_mask(self, query: Query) -> "Mask | None":
        """Return which documents have a kind and a key that the query names; None if it names none."""
        found = None
        for named, known in ((query.kinds, self.kinds), (query.keys, self.keys)):
            if named:
                mask = self.make_mask(known[name] for name in named if name in known)
                found = mask if found is None else found & mask
        return found

    def make_mask(self, rows: "Iterable[Numbers]") -> "Mask":
        """Return a mask of these rows."""
        import numpy

        found = numpy.zeros(len(self.docs), bool)
        for some in rows:
            found[some] = True
        return found

    def filter_documents(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Return the documents, among these, that match the query's kinds and keys."""
        wanted, rows = self.filter_mask(query), self.rows_of(docs)
        return [doc for doc, row in rows.items() if wanted is None or wanted[row]]

    def rows_of(self, docs: Collection[int]) -> Mapping[int, int]:
        """Return the rows of the documents that exist."""
        import numpy

        asked = numpy.array(list(docs), numpy.int64)
        rows = numpy.searchsorted(self.docs, asked).clip(0, max(0, len(self.docs) - 1))
        exists = self.docs[rows] == asked if len(self.docs) else numpy.zeros(len(asked), bool)
        return dict(zip(asked[exists].tolist(), rows[exists].tolist(), strict=True))

    def find_neighbours(self, docs: Collection[int]) -> Pairs:
        """Return pairs of consecutive chunks of a transcript."""
        forward = {doc: self.after[doc] for doc in docs if doc in self.after}
        back = {self.before[doc]: doc for doc in docs if doc in self.before}
        return list((forward | back).items())

    def find_words(
        self, scopes: Sequence[str], words: Collection[str], docs: Collection[int]
    ) -> Mapping[str, WordMatch]:
        """Return the known words among these, each with the documents that contain it."""
        import numpy

        rows, corpus = self.rows_of(docs), self.corpus(scopes)
        asked, places = numpy.array(list(rows), numpy.int64), numpy.array(list(rows.values()), numpy.int64)
        posted = {word: self.find_postings(word, corpus)[0] for word in words}
        return {
            word: (rarity(len(there), corpus.size), {*asked[numpy.isin(places, there)].tolist()})
            for word, there in posted.items()
            if len(there)
        }

    def load_vectors(self, file: "VectorStore") -> "VectorLayers | None":
        """Return the vectors of this state; raise VectorsOutdatedError if their file turned out to be damaged."""
        if file.layers is None and self.mark:
            raise VectorsOutdatedError
        return file.layers

    def fetch_documents(self, scores: Scores) -> list[FoundDocument]:
        """Return the scored documents with their texts."""
        return [
            FoundDocument(scores[doc], *self.contents[row], doc=doc) for doc, row in self.rows_of(list(scores)).items()
        ]


def build_documents(
    lines: Sequence[DocumentLine], posted: WordPostings, after: Mapping[int, int], mark: str = ""
) -> InMemoryDocuments:
    """Build the columns from documents sorted by number, their words, and the successor of each chunk."""
    import numpy

    docs = numpy.array([line.doc for line in lines], numpy.int64)
    scopes = {scope: place for place, scope in enumerate(dict.fromkeys(line.scope for line in lines))}
    ends = numpy.cumsum([count for _, count in posted.words]).tolist()
    return InMemoryDocuments(
        mark=mark,
        docs=docs,
        contents=[line[1:6] for line in lines],
        scopes=list(scopes),
        places=numpy.array([scopes[line.scope] for line in lines], numpy.int64),
        lengths=numpy.array([line.length for line in lines], numpy.int64),
        slices={word: (end - count, end) for (word, count), end in zip(posted.words, ends, strict=True)},
        rows=numpy.searchsorted(docs, posted.docs),
        times=posted.times,
        kinds=group_rows((line.kind, row) for row, line in enumerate(lines)),
        keys=group_rows((key, row) for row, line in enumerate(lines) for key in line.keys),
        after=after,
        before={doc: one for one, doc in after.items()},
    )


def group_rows(pairs: "Iterable[tuple[str, int]]") -> "dict[str, Numbers]":
    """Group rows by name."""
    import numpy

    found: dict[str, list[int]] = {}
    for name, row in pairs:
        found.setdefault(name, []).append(row)
    return {name: numpy.array(rows, numpy.int64) for name, rows in found.items()}
