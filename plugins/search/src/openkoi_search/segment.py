"""Read one segment of the index: its documents, the words in them, and what later segments are computed from.

A row is the position of a document in its segment. The prefix of an entry's key determines what the entry is.
"""

import json
import sys
from array import array
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from functools import cached_property
from itertools import accumulate, pairwise, repeat
from typing import NamedTuple, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .checksums import Cached, CorruptFileError
from .segment_file import SegmentFile, pack, unpack

ROW_BYTES, COUNT_BYTES = 4, 2
MAX_COUNT = 2 ** (8 * COUNT_BYTES) - 1
NO_ROW = -1
NUMBER_BYTES = 8
MAX_SEARCHED_NUMBERS = 7  # more are found faster by comparing all: 7 us each, to 48 us for all, of 2,500 documents
VECTOR_SCALE = 32_767
SEPARATOR = b"\0"
# Postings begin with how many bytes each count takes, which follow the rows; of 0, all counts are 1. Or they begin with
# this, and have a byte for each row from the first to the last.
DENSE = 3
MAX_BYTE = 255
# The places of a vector that are not 0, as bits, and their values times VECTOR_SCALE, in the order of the places.
Vector: TypeAlias = "tuple[int, array[int]]"
COLUMN_CODES, COLUMN_BYTES = "qIHHii", (8, 4, 2, 2, 4, 4)


class EntryKind(bytes, Enum):
    """The kind of an entry, as the prefix of its key. Reading a member's ``value`` is slower than adding to it."""

    COLUMNS = b"c"
    DOCUMENT = b"d"
    FACTS = b"f"
    GONE = b"g"
    LATEST = b"t"
    LEARNING = b"l"
    MESSAGES = b"m"
    NEXT = b"n"
    OFFSETS = b"o"
    VECTOR = b"v"
    WORD = b"x"


class StoredDocument(NamedTuple):
    """A document as it is stored. ``memo`` is the memory item as JSON, ``length`` the number of its words."""

    number: int
    id: str
    kind: str
    learned: bool
    scope: str
    moment: str
    run: str
    keys: tuple[str, ...]
    length: int
    memo: str


class Postings(NamedTuple):
    """The rows of the documents that contain a word, in their order, and how often each does.

    Where that takes less space, all rows from the first to the last are stored, some with a count of 0. Counts that fit
    are bytes. ``size`` is the number of documents, ``most`` an upper bound of the counts.
    """

    rows: "array[int] | range"
    counts: "array[int] | bytes"
    size: int
    most: int

    def without(self, dead: AbstractSet[int]) -> "Postings":
        """Return the postings without some rows."""
        if isinstance(self.rows, range):
            counts = bytearray(self.counts)
            for row in dead:
                if row in self.rows:
                    counts[row - self.rows.start] = 0
            return Postings(self.rows, bytes(counts), len(counts) - counts.count(0), self.most)
        if dead.isdisjoint(self.rows):
            return self
        kept = [(row, count) for row, count in zip(self.rows, self.counts, strict=True) if row not in dead]
        rows = array("I", [row for row, _ in kept])
        return Postings(rows, array("H", [count for _, count in kept]), len(rows), self.most)


class ScopeSize(NamedTuple):
    """The number of a scope's documents in a segment, and of all their words."""

    documents: int
    words: int


@dataclass(frozen=True, slots=True)
class Segment(Cached):
    """A segment that was opened. Each column has a value for each row.

    ``scope_places`` and ``kind_places`` are places in the header's lists, ``after`` and ``before`` the next rows of a
    transcript.
    """

    name: str
    file: SegmentFile
    numbers: "array[int]"
    lengths: "array[int]"
    scope_places: "array[int]"
    kind_places: "array[int]"
    after: "array[int]"
    before: "array[int]"

    @property
    def size(self) -> int:
        """The number of its documents, outdated ones included."""
        return len(self.numbers)

    def find_rows(self, numbers: Collection[int]) -> Mapping[int, int]:
        """Return the rows of the documents that it has, by their numbers."""
        if len(numbers) <= MAX_SEARCHED_NUMBERS:
            data = self.numbers.tobytes()
            found = {number: find_number(data, number) for number in numbers}
            return {number: row for number, row in found.items() if row != NO_ROW}
        here = {*numbers}.intersection(self.numbers)
        return {number: row for row, number in enumerate(self.numbers) if number in here} if here else {}

    @cached_property
    def span(self) -> range:
        """All lengths from its shortest document's to its longest one's."""
        return range(min(self.lengths), max(self.lengths) + 1)

    @cached_property
    def short_lengths(self) -> bytes:
        """The lengths as bytes, capped at MAX_BYTE."""
        return cut_numbers(self.lengths)

    @property
    def scopes(self) -> Mapping[str, ScopeSize]:
        """The scopes in their order, and the size of each."""
        return {name: ScopeSize(*size) for name, *size in self.file.header["scopes"]}

    @cached_property
    def scope_names(self) -> list[str]:
        """The names of the scopes, by place."""
        return [name for name, *_ in self.file.header["scopes"]]

    @cached_property
    def kind_names(self) -> list[str]:
        """The names of the kinds, by place."""
        return list(self.file.header["kinds"])

    @cached_property
    def first_document(self) -> int:
        """The position of the first document's entry; the others follow it."""
        return self.file.find(EntryKind.DOCUMENT.value)

    @cached_property
    def first_vector(self) -> int:
        """The position of the first vector's entry, which the others follow; -1 unless every document has one."""
        first, size = self.file.find(EntryKind.VECTOR.value), self.size
        all_there = 0 < size <= len(self.file) - first and self.file.key(first + size - 1) == vector_key(size - 1)
        return first if all_there else -1

    @cached_property
    def gone(self) -> "array[int]":
        """The numbers of the documents in older segments that are outdated."""
        return unpack("q", self.file.get(EntryKind.GONE.value) or b"")

    @cached_property
    def offsets(self) -> Mapping[str, int]:
        """The read positions in log files that changed when this was written."""
        return dict(json.loads(self.file.get(EntryKind.OFFSETS.value) or b"{}"))

    def document(self, row: int) -> StoredDocument:
        """Return a document."""
        header, _, memo = self.file.read(document_key(row), self.first_document + row).partition(b"\n")
        id, kind, learned, moment, run, keys = json.loads(header)
        scope, length = self.scope_names[self.scope_places[row]], self.lengths[row]
        return StoredDocument(
            self.numbers[row], id, kind, learned, scope, moment, run, tuple(keys), length, memo.decode()
        )

    def postings(self, key: bytes, scopes: Collection[str] | None) -> Iterable[Postings]:
        """Return the postings of a word, by its key, in some scopes, or in all of them."""
        if scopes is None:
            return map(decode_postings, self.file.values(key))
        places = (place for place, scope in enumerate(self.scope_names) if scope in scopes)
        return map(decode_postings, filter(None, (self.file.get(key + encode_place(place)) for place in places)))

    def vector(self, row: int) -> Vector:
        """Return a document's vector; an empty one if it has none."""
        first, file = self.first_vector, self.file
        return decode_vector(file.value(first + row) if first >= 0 else file.get(vector_key(row)) or b"")


def open_segment(name: str, file: SegmentFile) -> Segment:
    """Return a segment whose columns are read; raise CorruptFileError if they are of another version."""
    data, count = file.read(EntryKind.COLUMNS.value), int(file.header["documents"])
    if len(data) != count * sum(COLUMN_BYTES):
        raise CorruptFileError("unexpected columns")
    ends = list(accumulate((width * count for width in COLUMN_BYTES), initial=0))
    parts = [data[start:end] for start, end in pairwise(ends)]
    return Segment(name, file, *(unpack(code, part) for code, part in zip(COLUMN_CODES, parts, strict=True)))


def cut_numbers(numbers: "array[int]") -> bytes:
    """Return numbers as a byte each, capped at MAX_BYTE."""
    data, size = numbers.tobytes(), numbers.itemsize
    low, *high = (data[place::size] for place in (range(size) if sys.byteorder == "little" else range(size)[::-1]))
    return bytes(map(min, numbers, repeat(MAX_BYTE))) if any(part.strip(b"\0") for part in high) else low


def find_number(data: bytes, number: int) -> int:
    """Return the row of a number in a column of bytes, or NO_ROW."""
    sought = number.to_bytes(NUMBER_BYTES, sys.byteorder, signed=True)
    at = data.find(sought)
    while at > 0 and at % NUMBER_BYTES:
        at = data.find(sought, at + 1)
    return NO_ROW if at < 0 else at // NUMBER_BYTES


def document_key(row: int) -> bytes:
    """Return the key of a row's document."""
    return EntryKind.DOCUMENT + row.to_bytes(ROW_BYTES, "big")


def encode_name(name: str) -> bytes:
    """Return a name as a part of a key, for any text."""
    return name.encode("utf-8", "surrogatepass")


def word_key(word: str) -> bytes:
    """Return the prefix of the keys of a word's postings."""
    return EntryKind.WORD + encode_name(word) + SEPARATOR


def encode_place(place: int) -> bytes:
    """Return the suffix of a key for a scope's position."""
    return place.to_bytes(COUNT_BYTES, "big")


def decode_postings(value: bytes) -> Postings:
    """Return the rows and counts of an entry."""
    width = value[0]
    if width == DENSE:
        first, size = (int.from_bytes(value[at : at + ROW_BYTES], "little") for at in (1, 1 + ROW_BYTES))
        counts = value[2 + 2 * ROW_BYTES :]
        return Postings(range(first, first + len(counts)), counts, size, value[1 + 2 * ROW_BYTES])
    size = (len(value) - 1) // (ROW_BYTES + width)
    rows, listed = unpack("I", value[1 : 1 + size * ROW_BYTES]), value[1 + size * ROW_BYTES :]
    if not width:
        return Postings(rows, b"\1" * size, size, 1)
    found = listed if width == 1 else unpack("H", listed)
    return Postings(rows, found, size, max(found))


def encode_postings(rows: "array[int]", counts: "array[int]") -> bytes:
    """Encode postings as the value of an entry, in the smaller of two forms."""
    first, size, most = rows[0], rows[-1] + 1 - rows[0], max(counts)
    width = 0 if most == 1 else 1 if most <= MAX_BYTE else COUNT_BYTES
    if 1 + 2 * ROW_BYTES + size >= (ROW_BYTES + width) * len(rows) or most > MAX_BYTE:
        listed = pack(counts) if width == COUNT_BYTES else bytes(counts.tolist()) * width
        return bytes([width]) + pack(rows) + listed
    column = bytearray(size)
    for row, count in zip(rows, counts, strict=True):
        column[row - first] = count
    sizes = (number.to_bytes(ROW_BYTES, "little") for number in (first, len(rows)))
    return bytes([DENSE]) + b"".join(sizes) + bytes([most]) + column


def vector_key(row: int) -> bytes:
    """Return the key of a row's vector."""
    return EntryKind.VECTOR + row.to_bytes(ROW_BYTES, "big")


def encode_vector(vector: Mapping[int, float]) -> bytes:
    """Return a vector of length 1 as the value of an entry: its places, and its values rounded to 16 bits."""
    if not vector:
        return b""
    places = sorted(vector)
    bits = bytearray(places[-1] // 8 + 1)
    for place in places:
        bits[place // 8] |= 1 << place % 8
    values = array("h", (round(vector[place] * VECTOR_SCALE) for place in places))
    return len(bits).to_bytes(COUNT_BYTES, "little") + bits + pack(values)


def decode_vector(value: bytes) -> Vector:
    """Return the places and values of an entry, the values as they are stored."""
    end = COUNT_BYTES + int.from_bytes(value[:COUNT_BYTES], "little")
    return int.from_bytes(value[COUNT_BYTES:end], "little"), unpack("h", value[end:])
