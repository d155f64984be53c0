"""Collect documents and what belongs to them, and encode them as a segment of the index; merge segments into one.

A merge appends the rows of one segment to those of another, so that most of what it writes is copied.
"""

import json
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise

from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment import (
    COLUMN_CODES,
    COUNT_BYTES,
    MAX_COUNT,
    NO_ROW,
    SEPARATOR,
    EntryKind,
    Postings,
    Segment,
    StoredDocument,
    decode_postings,
    document_key,
    encode_name,
    encode_place,
    encode_postings,
    encode_vector,
    vector_key,
)
from .segment_file import Value, encode_segment, pack

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
    """What a segment contains: ``columns``, and the ``documents`` and ``vectors`` of the rows as they are encoded.

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
        """Return the bytes of the segment's file; the header also says what readers need at once."""
        entries: dict[bytes, Value] = {document_key(row): document for row, document in enumerate(self.documents)}
        entries |= {vector_key(row): vector for row, vector in enumerate(self.vectors) if vector}
        entries[EntryKind.COLUMNS.value] = b"".join(map(pack, self.columns))
        for (word, scope), posted in self.words.items():
            key = EntryKind.WORD.value + word + SEPARATOR + encode_place(self.scopes[scope])
            entries[key] = encode_postings(*posted)
        if self.gone:
            entries[EntryKind.GONE.value] = pack(array("q", self.gone))
        known = {"documents": len(self.documents), "scopes": self.measure_scopes(), "kinds": list(self.kinds)}
        return encode_segment({**header, **known}, [*entries.items(), *self.others.items()])

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

    def append(self, segment: Segment, dead: Collection[int]) -> None:
        """Append the rows of a segment, without those that are dead, and its other entries."""
        moved = move_rows(segment, dead, len(self.documents))
        scopes = [self.scopes.setdefault(name, len(self.scopes)) for name in segment.scope_names]
        kinds = [self.kinds.setdefault(name, len(self.kinds)) for name in segment.file.header["kinds"]]
        for row, new in enumerate(moved):
            if new != NO_ROW:
                beside = (segment.after[row], segment.before[row])
                values = (
                    segment.numbers[row],
                    segment.lengths[row],
                    scopes[segment.scope_places[row]],
                    kinds[segment.kind_places[row]],
                    *(NO_ROW if other == NO_ROW else moved[other] for other in beside),
                )
                for column, value in zip(self.columns, values, strict=True):
                    column.append(value)
                self.documents.append(segment.file.view(document_key(row)))
                self.vectors.append(segment.file.view(vector_key(row)))
        self.append_words(segment, moved)
        self.append_others(segment)

    def append_words(self, segment: Segment, moved: Sequence[int]) -> None:
        """Append a segment's postings, with their new rows."""
        for key, value in segment.file.entries(EntryKind.WORD.value):
            word, place = key[1 : -len(SEPARATOR) - COUNT_BYTES], int.from_bytes(key[-COUNT_BYTES:], "big")
            posted = move_postings(decode_postings(value), moved)
            known = self.words.setdefault((word, segment.scope_names[place]), posted) if posted[0] else posted
            if known is not posted:
                known[0].extend(posted[0])
                known[1].extend(posted[1])

    def append_others(self, segment: Segment) -> None:
        """Append what adds up, such as the facts of runs, and replace the rest, such as learnings and offsets."""
        for kind in (EntryKind.FACTS, EntryKind.MESSAGES, EntryKind.NEXT):
            for key, _ in segment.file.entries(kind.value):
                value = segment.file.view(key)
                self.others[key] = b"".join((self.others[key], value)) if key in self.others else value
        for kind in (EntryKind.LATEST, EntryKind.LEARNING):
            self.others.update(segment.file.entries(kind.value))
        if segment.offsets:
            known = json.loads(bytes(self.others.get(EntryKind.OFFSETS.value, b"{}")))
            self.others[EntryKind.OFFSETS.value] = json.dumps({**known, **segment.offsets}).encode()


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
    """Return what a piece's place in its transcript is sorted by."""
    return moment, len(id), id


def merge_segments(segments: Sequence[Segment], dead: Sequence[Collection[int]], *, whole: bool) -> SegmentContent:
    """Return the content of consecutive segments, the oldest first, without the rows that are dead.

    ``whole`` says that no older segment is left, so that nothing needs to be remembered as gone.
    """
    gone = set() if whole else {number for segment in segments for number in segment.gone}
    content = SegmentContent(gone=sorted(gone))
    for segment, rows in zip(segments, dead, strict=True):
        content.append(segment, rows)
    return content


def move_rows(segment: Segment, dead: Collection[int], start: int) -> Sequence[int]:
    """Return the new row of each row from ``start`` on; NO_ROW for one that is dead."""
    if not dead:
        return range(start, start + segment.size)
    moved = []
    for row in range(segment.size):
        moved.append(NO_ROW if row in dead else start)
        start += row not in dead
    return moved


def move_postings(postings: Postings, moved: Sequence[int]) -> Listed:
    """Return postings with the new rows, without those of dead rows."""
    rows, counts, *_ = postings
    if isinstance(moved, range) and not isinstance(rows, range):
        widened = array("H", list(counts)) if isinstance(counts, bytes) else counts
        return array("I", [row + moved.start for row in rows]), widened
    kept = [(moved[row], count) for row, count in zip(rows, counts, strict=True) if count and moved[row] != NO_ROW]
    return array("I", [row for row, _ in kept]), array("H", [count for _, count in kept])


def encode_document(document: StoredDocument) -> bytes:
    """Return a document as the value of an entry."""
    header = [document.id, document.kind, document.learned, document.moment, document.run, document.keys]
    return f"{json.dumps(header, separators=(',', ':'))}\n{document.memo}".encode()
