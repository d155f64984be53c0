"""Collect documents with their words and vectors, and encode them as a segment."""

import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, pairwise

from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment import (
    COLUMN_CODES,
    MAX_COUNT,
    NO_ROW,
    SEPARATOR,
    EntryKind,
    StoredDocument,
    document_key,
    encode_name,
    encode_place,
    encode_postings,
    encode_vector,
    vector_key,
)
from .segment_file import STEP_ENTRIES, Value, encode_segment, pack

Key = tuple[bytes, str]
Listed = tuple["array[int]", "array[int]"]  # the rows of a word, and its counts


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document with its words and their counts, and the values of its vector by dimension."""

    stored: StoredDocument
    words: Mapping[str, int]
    vector: Mapping[int, float]


@dataclass(slots=True)
class SegmentContent:
    """A segment's content: ``columns``, and the encoded ``documents`` and ``vectors`` of the rows.

    ``scopes`` and ``kinds`` are places by name, ``words`` postings by word and scope. ``others`` are entries about no
    document, ``gone`` the numbers of outdated documents in older segments.
    """

    columns: "list[array[int]]" = field(default_factory=lambda: [array(code) for code in COLUMN_CODES])
    documents: list[Value] = field(default_factory=list)
    vectors: list[Value] = field(default_factory=list)
    scopes: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    words: dict[Key, Listed] = field(default_factory=dict)
    others: dict[bytes, Value] = field(default_factory=dict)
    gone: Collection[int] = ()

    def encode(self, **header: object) -> bytes:
        """Return the bytes of the segment's file; the header also contains what readers need first."""
        return b"".join(chain.from_iterable(self.encode_in_steps(**header)))

    def encode_in_steps(self, **header: object) -> Iterator[Sequence[Value]]:
        """Yield the parts of the segment's file in steps; a step may yield none."""
        entries: list[tuple[bytes, Value]] = [(document_key(row), value) for row, value in enumerate(self.documents)]
        entries += [(vector_key(row), value) for row, value in enumerate(self.vectors) if value]
        entries.append((EntryKind.COLUMNS.value, b"".join(map(pack, self.columns))))
        for number, ((word, scope), posted) in enumerate(self.words.items(), 1):
            key = EntryKind.WORD.value + word + SEPARATOR + encode_place(self.scopes[scope])
            entries.append((key, encode_postings(*posted)))
            if number % STEP_ENTRIES == 0:
                yield ()
        if self.gone:
            entries.append((EntryKind.GONE.value, pack(array("q", self.gone))))
        entries += self.others.items()
        known = {"documents": len(self.documents), "scopes": self.measure_scopes(), "kinds": list(self.kinds)}
        yield from encode_segment({**header, **known}, entries)

    def measure_scopes(self) -> list[tuple[str, int, int]]:
        """Return each scope with the number of its documents, and of all their words."""
        counts, lengths = [0] * len(self.scopes), [0] * len(self.scopes)
        for place, length in zip(self.columns[2], self.columns[1], strict=True):
            counts[place] += 1
            lengths[place] += length
        return list(zip(self.scopes, counts, lengths, strict=True))

    def add(self, one: IndexedDocument) -> None:
        """Add a document in a new row."""
        stored, row = one.stored, len(self.documents)
        scope = self.scopes.setdefault(stored.scope, len(self.scopes))
        kind = self.kinds.setdefault(stored.kind, len(self.kinds))
        values = (stored.number, stored.length, scope, kind, NO_ROW, NO_ROW)
        for column, value in zip(self.columns, values, strict=True):
            column.append(value)
        self.documents.append(encode_document(stored))
        self.vectors.append(encode_vector(one.vector))
        for word, count in one.words.items():
            posted = self.words.setdefault((encode_name(word), stored.scope), (array("I"), array("H")))
            posted[0].append(row)
            posted[1].append(min(count, MAX_COUNT))


def make_content(
    documents: Iterable[IndexedDocument], gone: Collection[int], others: Mapping[bytes, bytes]
) -> SegmentContent:
    """Return the content of a new segment."""
    content = SegmentContent(others=dict(others), gone=gone)
    transcripts: dict[str, list[tuple[str, int, str, int]]] = {}
    for row, one in enumerate(documents):
        content.add(one)
        if one.stored.run:
            place = (*piece_order(one.stored.moment, one.stored.id), row)
            transcripts.setdefault(one.stored.run, []).append(place)
    for places in transcripts.values():
        places.sort()
        for (*_, row), (*_, following) in pairwise(places):
            after, before = content.columns[-2:]
            after[row], before[following] = following, row
    return content


def piece_order(moment: str, id: str) -> tuple[str, int, str]:
    """Return the sort key of a piece in its transcript."""
    return moment, len(id), id


def encode_document(document: StoredDocument) -> bytes:
    """Return a document as the value of an entry."""
    header = [document.id, document.kind, document.learned, document.moment, document.run, document.keys]
    return f"{json.dumps(header, separators=(',', ':'))}\n{document.memo}".encode()
