"""All that a question may find, held in memory: what the tables have, as columns of numbers, for who asks again.

It answers as the tables do, number for number. Knows columns; knows no statement.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from openkoi_hookspecs import Query

from .blending import DIGITS, Scores
from .bm25 import K1, B
from .fitting import FoundDocument
from .fusion import best
from .ranking import Pairs
from .shelves import EVERYONE, shelf_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Numbers
    from .layers import Layers
    from .nearness import Vectors

    Mask = NDArray[numpy.bool_]

Told = tuple[str, str, str, bool, str]


class DocumentLine(NamedTuple):
    """A document as a table has it."""

    doc: int
    moment: str
    id: str
    kind: str
    learned: bool
    memo: str
    shelf: str
    length: int
    keys: Sequence[str]


@dataclass(frozen=True, slots=True)
class WordPostings:
    """Words in any order, each with how many documents have it; then those documents, and how often they do."""

    words: Sequence[tuple[str, int]]
    docs: "Numbers"
    times: "Numbers"


class Lost(Exception):
    """The vectors that were held are gone: the file has to be asked."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of some shelves: which they are, unless all are, how many, and what their lengths count."""

    mask: "Mask | None"
    size: int
    lengths: "NDArray[Any]"


@dataclass(frozen=True)
class InMemoryDocuments:
    """Documents, sorted by their numbers; a row is a place among them. ``told`` is what is read of one that is found.

    ``slices`` says where the postings of a word are in ``rows`` and ``times``. ``mark`` names the state of the vectors.
    """

    mark: str
    docs: "Numbers"
    told: Sequence[Told]
    shelves: Sequence[str]
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

    def seen_by(self, query: Query) -> Sequence[str]:
        """The shelves that a query sees."""
        return [shelf_of(query.project), EVERYONE] if query.scope == "project" else self.shelves

    def ranked(self, query: Query, shelves: Sequence[str], words: Collection[str], most: int) -> Scores:
        """Score documents by their words."""
        import numpy

        corpus = self.corpus(shelves)
        found = numpy.zeros(len(self.docs))
        for word in words:
            rows, times = self.posted(word, corpus)
            if len(rows):
                rarity = log(1 + (corpus.size - len(rows) + 0.5) / (len(rows) + 0.5))
                found[rows] += rarity * times * (K1 + 1) / (times + corpus.lengths[rows])
        wanted = self.wanted(query)
        scores = numpy.round(found if wanted is None else found * wanted, DIGITS)
        chosen = best(scores, most)
        return dict(zip(self.docs[chosen].tolist(), scores[chosen].tolist(), strict=True))

    def corpus(self, shelves: Sequence[str]) -> Corpus:
        """The documents of these shelves; found once."""
        known = self.corpora.get(tuple(shelves))
        if known is None:
            known = self.corpora[tuple(shelves)] = self.counted(shelves)
        return known

    def counted(self, shelves: Sequence[str]) -> Corpus:
        """Count the documents of these shelves, and measure them."""
        import numpy

        wanted = [place for place, shelf in enumerate(self.shelves) if shelf in shelves]
        mask = numpy.isin(self.places, wanted)
        size = int(mask.sum())
        mean = self.lengths[mask].mean() if size else 1.0
        return Corpus(None if mask.all() else mask, size, K1 * (1 - B + B * self.lengths / (mean or 1.0)))

    def posted(self, word: str, corpus: Corpus) -> "tuple[Numbers, Numbers]":
        """The documents of a corpus that have a word, and how often."""
        start, end = self.slices.get(word, (0, 0))
        rows, times = self.rows[start:end], self.times[start:end]
        if corpus.mask is None:
            return rows, times
        there = corpus.mask[rows]
        return rows[there], times[there]

    def wanted(self, query: Query) -> "Mask | None":
        """Which documents have a kind and a key that the query names; None when it names none."""
        found = None
        for named, known in ((query.kinds, self.kinds), (query.keys, self.keys)):
            if named:
                one = self.marked(known[name] for name in named if name in known)
                found = one if found is None else found & one
        return found

    def marked(self, rows: "Iterable[Numbers]") -> "Mask":
        """A mark at each of these rows."""
        import numpy

        found = numpy.zeros(len(self.docs), bool)
        for some in rows:
            found[some] = True
        return found

    def among(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Those of the documents that the query asks for."""
        wanted, rows = self.wanted(query), self.rows_of(docs)
        return [doc for doc, row in rows.items() if wanted is None or wanted[row]]

    def rows_of(self, docs: Collection[int]) -> Mapping[int, int]:
        """The rows of those of the documents that are there."""
        import numpy

        asked = numpy.array(list(docs), numpy.int64)
        rows = numpy.searchsorted(self.docs, asked).clip(0, max(0, len(self.docs) - 1))
        there = self.docs[rows] == asked if len(self.docs) else numpy.zeros(len(asked), bool)
        return dict(zip(asked[there].tolist(), rows[there].tolist(), strict=True))

    def links(self, docs: Collection[int]) -> Pairs:
        """Pairs of pieces that were said one after the other."""
        forward = {doc: self.after[doc] for doc in docs if doc in self.after}
        back = {self.before[doc]: doc for doc in docs if doc in self.before}
        return list((forward | back).items())

    def having(self, shelves: Sequence[str], words: Collection[str], docs: Collection[int]) -> Pairs:
        """These documents, and how many of the words each has."""
        import numpy

        rows, corpus = self.rows_of(docs), self.corpus(shelves)
        places = numpy.array(list(rows.values()), numpy.int64)
        counts = numpy.zeros(len(places), numpy.int64)
        for word in words:
            posted, _ = self.posted(word, corpus)
            counts += numpy.isin(places, posted)
        return [pair for pair in zip(rows, counts.tolist(), strict=True) if pair[1]]

    def vectors(self, file: "Vectors") -> "Layers | None":
        """The vectors, which were known to be of this state; raises Lost when the file turned out to be damaged."""
        if file.known is None and self.mark:
            raise Lost
        return file.known

    def fetched(self, scores: Scores) -> list[FoundDocument]:
        """Read the documents that were scored."""
        return [FoundDocument(scores[doc], *self.told[row], doc=doc) for doc, row in self.rows_of(list(scores)).items()]


def held(
    lines: Sequence[DocumentLine], posted: WordPostings, after: Mapping[int, int], mark: str = ""
) -> InMemoryDocuments:
    """Hold documents, which are sorted by their numbers, their words, and which piece was said after which."""
    import numpy

    docs = numpy.array([line.doc for line in lines], numpy.int64)
    shelves = {shelf: place for place, shelf in enumerate(dict.fromkeys(line.shelf for line in lines))}
    ends = numpy.cumsum([count for _, count in posted.words]).tolist()
    return InMemoryDocuments(
        mark=mark,
        docs=docs,
        told=[line[1:6] for line in lines],
        shelves=list(shelves),
        places=numpy.array([shelves[line.shelf] for line in lines], numpy.int64),
        lengths=numpy.array([line.length for line in lines], numpy.int64),
        slices={word: (end - count, end) for (word, count), end in zip(posted.words, ends, strict=True)},
        rows=numpy.searchsorted(docs, posted.docs),
        times=posted.times,
        kinds=grouped((line.kind, row) for row, line in enumerate(lines)),
        keys=grouped((key, row) for row, line in enumerate(lines) for key in line.keys),
        after=after,
        before={doc: one for one, doc in after.items()},
    )


def grouped(pairs: "Iterable[tuple[str, int]]") -> "dict[str, Numbers]":
    """The rows of each name."""
    import numpy

    found: dict[str, list[int]] = {}
    for name, row in pairs:
        found.setdefault(name, []).append(row)
    return {name: numpy.array(rows, numpy.int64) for name, rows in found.items()}
