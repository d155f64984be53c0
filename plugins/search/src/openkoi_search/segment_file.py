"""Write and read a file of sorted entries, each a key and a value, with the standard library alone.

The keys are verified when the file is opened, a value whenever it is read. A file never changes once it is written.
"""

import json
import os
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .checksums import Cached, CorruptFileError, OtherFormatError

if TYPE_CHECKING:
    import mmap

FORMAT = b"koi-segment-"
MAGIC = FORMAT + b"7\n\0\0"
CHECKSUM_BYTES, LENGTH_BYTES, ALIGNMENT_BYTES = 4, 4, 8
MIN_MAPPED_BYTES = 65_536  # smaller files are read instead of mapped, because that is faster (estimate)
MARKED_KEYS = 128  # of so many keys one is looked at first, which takes 0.05 ms for 15,000 keys (estimate)
STEP_ENTRIES = 64  # of a segment that is merged or encoded in steps; such a step takes about 0.2 ms
SEALED_ENTRIES = 8 * STEP_ENTRIES  # the same of entries of which only the checksum is computed
Entry = tuple[bytes, bytes]
Value: TypeAlias = "bytes | memoryview"  # one that is written as it is in another file need not be copied


@dataclass(frozen=True, slots=True)
class SegmentFile(Cached):
    """The content of a file: ``header`` describes its entries.

    Each key begins at one of the ``key_starts``, counted from ``keys_at``; each value of the ``value_starts``, from
    ``values_at``. Both stay in the file.
    """

    header: Mapping[str, Any]
    data: "bytes | mmap.mmap"
    keys_at: int
    key_starts: "array[int]"
    value_starts: "array[int]"
    values_at: int

    def __len__(self) -> int:
        return len(self.key_starts) - 1

    def key(self, place: int) -> bytes:
        """Return the key at a place."""
        starts, base = self.key_starts, self.keys_at
        return self.data[base + starts[place] : base + starts[place + 1]]

    def value(self, place: int) -> bytes:
        """Return the value at a place; raise CorruptFileError if it is damaged."""
        starts, data = self.value_starts, self.data
        start = self.values_at + starts[place]
        value = data[start + CHECKSUM_BYTES : self.values_at + starts[place + 1]]
        if zlib.crc32(value) != int.from_bytes(data[start : start + CHECKSUM_BYTES], "little"):
            raise CorruptFileError(f"the checksum of the entry {self.key(place)[:40]!r} does not match")
        return value

    @cached_property
    def marks(self) -> Sequence[bytes]:
        """Every n-th key: searching all keys of a large file would read distant parts of it."""
        return [self.key(place) for place in range(0, len(self), MARKED_KEYS)]

    def find(self, key: bytes) -> int:
        """Return the first place whose key is not below this one."""
        mark = bisect_left(self.marks, key)
        low, high = max(0, mark - 1) * MARKED_KEYS, min(mark * MARKED_KEYS, len(self))
        data, starts, base = self.data, self.key_starts, self.keys_at
        while low < high:
            middle = (low + high) // 2
            if data[base + starts[middle] : base + starts[middle + 1]] < key:
                low = middle + 1
            else:
                high = middle
        return low

    def get(self, key: bytes, expected: int = -1) -> bytes | None:
        """Return the value of a key, or None; look at the expected position first."""
        if 0 <= expected < len(self) and self.key(expected) == key:
            return self.value(expected)
        place = self.find(key)
        return self.value(place) if place < len(self) and self.key(place) == key else None

    def read(self, key: bytes, expected: int = -1) -> bytes:
        """Return the value of a key; raise CorruptFileError if it is missing."""
        value = self.get(key, expected)
        if value is None:
            raise CorruptFileError(f"the entry {key[:40]!r} is missing")
        return value

    def view(self, place: int) -> memoryview:
        """Return a view of the value at a position, without copying it."""
        start = self.values_at + self.value_starts[place]
        value = memoryview(self.data)[start + CHECKSUM_BYTES : self.values_at + self.value_starts[place + 1]]
        if zlib.crc32(value) != int.from_bytes(self.data[start : start + CHECKSUM_BYTES], "little"):
            raise CorruptFileError(f"the checksum of the entry {self.key(place)[:40]!r} does not match")
        return value

    def places(self, prefix: bytes) -> Iterator[tuple[bytes, int]]:
        """Yield the keys that begin with a prefix, each with its place."""
        for place in range(self.find(prefix), len(self)):
            key = self.key(place)
            if not key.startswith(prefix):
                return
            yield key, place

    def entries(self, prefix: bytes = b"") -> Iterator[Entry]:
        """Return the entries whose keys begin with a prefix, in order."""
        return ((key, self.value(place)) for key, place in self.places(prefix))

    def values(self, prefix: bytes) -> list[bytes]:
        """Return the values of the entries whose keys begin with a prefix."""
        found, place, size = [], self.find(prefix), len(self)
        while place < size and self.key(place).startswith(prefix):
            found.append(self.value(place))
            place += 1
        return found


def encode_segment(header: Mapping[str, Any], entries: Iterable[tuple[bytes, Value]]) -> Iterator[Sequence[Value]]:
    """Yield the parts of a file with these entries in steps; a step may yield none."""
    ordered = sorted(entries, key=itemgetter(0))
    yield ()
    keys = b"".join(key for key, _ in ordered)
    key_starts = array("I", accumulate((len(key) for key, _ in ordered), initial=0))
    yield ()
    value_starts = array("Q", accumulate((CHECKSUM_BYTES + len(value) for _, value in ordered), initial=0))
    index = pack(value_starts) + pack(key_starts) + keys
    counts = {"entries": len(ordered), "index": zlib.crc32(index)}
    text = json.dumps({**header, **counts}, separators=(",", ":")).encode()
    text += b" " * (-(len(MAGIC) + CHECKSUM_BYTES + LENGTH_BYTES + len(text)) % ALIGNMENT_BYTES)
    length = len(text).to_bytes(LENGTH_BYTES, "little")
    yield MAGIC, length, *seal(text), index
    for start in range(0, len(ordered), SEALED_ENTRIES):
        yield list(chain.from_iterable(seal(value) for _, value in ordered[start : start + SEALED_ENTRIES]))


def seal(value: Value) -> tuple[bytes, Value]:
    """Return a value's checksum and the value, which is not copied because it may be large."""
    return zlib.crc32(value).to_bytes(CHECKSUM_BYTES, "little"), value


def read_segment_file(path: Path) -> SegmentFile:
    """Open a file; raise CorruptFileError if it is damaged, OSError if it is missing or unreadable."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < MIN_MAPPED_BYTES:
            return decode_segment(file.read())
        import mmap

        return decode_segment(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def decode_segment(data: "bytes | mmap.mmap") -> SegmentFile:
    """Read a file's header and keys; raise CorruptFileError unless they are as written."""
    try:
        header, start = decode_header(data)
        count = int(header["entries"]) + 1
        ends = start + 8 * count
        value_starts, key_starts = unpack("Q", data[start:ends]), unpack("I", data[ends : ends + 4 * count])
        keys_at = ends + 4 * count
        values_at = keys_at + key_starts[-1]
        if zlib.crc32(data[start:values_at]) != header["index"]:
            raise CorruptFileError("the checksum of its keys does not match")
        if len(data) != values_at + value_starts[-1]:
            raise CorruptFileError("wrong size")
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise CorruptFileError(f"invalid content: {error!r}") from None
    return SegmentFile(header, data, keys_at, key_starts, value_starts, values_at)


def decode_header(data: "bytes | mmap.mmap") -> tuple[dict[str, Any], int]:
    """Return the header, and where the index begins; raise CorruptFileError if it is damaged or of another version."""
    length_at = len(MAGIC)
    text_at = length_at + LENGTH_BYTES + CHECKSUM_BYTES
    end = text_at + int.from_bytes(data[length_at : length_at + LENGTH_BYTES], "little")
    text = data[text_at:end]
    if data[:length_at] != MAGIC:
        raise OtherFormatError if has_other_format(data[:length_at]) else CorruptFileError("not a segment")
    if b"".join(seal(text)) != data[length_at + LENGTH_BYTES : end]:
        raise CorruptFileError("damaged header")
    header: dict[str, Any] = json.loads(text)
    return header, end


def has_other_format(start: bytes) -> bool:
    """Return whether a file with this beginning is of another version."""
    name, newline, _ = start.partition(b"\n")
    return bool(newline) and name.startswith(FORMAT) and name.removeprefix(FORMAT).isdigit()


def pack(numbers: "array[Any]") -> bytes:
    """Return numbers as bytes, the same on every machine."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def unpack(code: str, data: bytes) -> "array[Any]":
    """Return numbers that were packed; raise ValueError unless they are whole."""
    numbers: array[Any] = array(code, data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
