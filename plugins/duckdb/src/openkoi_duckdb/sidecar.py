"""The copy of all vectors in a file of its own, which is mapped into memory instead of being read.

It is written beside and then renamed, carries sums of every part, and says which state of the tables it is a copy of.
One that is cut, torn, damaged, of another state or not there is no loss: it is made again from the tables. What is read
is checked once a process and file. Knows bytes; knows no database.
"""

import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .scanning import Scanned
from .vectors import Embedded

if TYPE_CHECKING:
    from .bm25 import Numbers
    from .scanning import Matrix

MAGIC = b"KOIVEC01"
LONGEST_HEADER = 1 << 20
EDGE = 64


class Damaged(Exception):
    """The file is not what was written. Never leaves the plugin."""


@dataclass(frozen=True)
class Sidecar:
    """Vectors of documents, and the shelves that these stand on. ``model`` made them, ``mark`` names their state."""

    mark: str
    model: str
    docs: "Numbers"
    shelves: Sequence[str]
    places: "Numbers"
    scanned: Scanned

    def rows_on(self, shelves: Sequence[str]) -> "Numbers | None":
        """The rows that stand on these shelves; None when all do."""
        import numpy

        wanted = [place for place, shelf in enumerate(self.shelves) if shelf in shelves]
        if len(wanted) == len(self.shelves):
            return None
        found: Numbers = numpy.flatnonzero(numpy.isin(self.places, wanted))
        return found

    def rows_of(self, docs: Sequence[int]) -> "tuple[list[int], Numbers]":
        """Those of the documents that have a vector, and their rows."""
        import numpy

        asked = numpy.array(docs, numpy.int64)
        rows = numpy.searchsorted(self.docs, asked).clip(0, len(self.docs) - 1)
        there = self.docs[rows] == asked
        return asked[there].tolist(), rows[there]


def sidecar_of(found: Embedded, model: str) -> Sidecar:
    """The same vectors, as they are searched."""
    return Sidecar(found.mark, model, found.docs, found.shelves, found.places, Scanned(found.matrix))


def write(path: Path, one: Sidecar) -> None:
    """Write a file beside, and put it in place when it is whole; raises OSError when there is no room."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(head_of(one))
            for part in (one.docs, one.places, one.scanned.matrix):
                part.tofile(file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def head_of(one: Sidecar) -> bytes:
    """What stands before the numbers, its own sum first; its end is where a number may begin."""
    matrix = one.scanned.matrix
    told = {
        "mark": one.mark,
        "model": one.model,
        "shelves": list(one.shelves),
        "rows": matrix.shape[0],
        "dimensions": matrix.shape[1],
        "places": zlib.crc32(one.places.tobytes(), zlib.crc32(one.docs.tobytes())),
        "numbers": sum_of(matrix),
    }
    text = json.dumps(told).encode()
    text += b" " * (-(len(MAGIC) + 8 + len(text)) % EDGE)
    return MAGIC + zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text


def sum_of(matrix: "Matrix") -> int:
    """A sum over every bit of a matrix, a column at a time: as quick as reading it."""
    import numpy

    wide = matrix.shape[1] % 2 == 0
    sums = matrix.view(numpy.uint64 if wide else numpy.uint32).sum(axis=0, dtype=numpy.uint64)
    return zlib.crc32(sums.tobytes())


def read(path: Path) -> Sidecar:
    """Map a file, and check all of it; raises Damaged when it is not what was written, OSError when it is not there."""
    import numpy

    try:
        told, start = header(path)
        rows, dimensions = int(told["rows"]), int(told["dimensions"])
        if path.stat().st_size != start + rows * (16 + 4 * dimensions):
            raise Damaged("it has another size than it says")
        mapped = numpy.memmap(path, numpy.uint8, "r")
        docs, places = (mapped[start + n * 8 * rows : start + (n + 1) * 8 * rows].view(numpy.int64) for n in (0, 1))
        matrix = mapped[start + 16 * rows :].view(numpy.float32).reshape(rows, dimensions)
        one = Sidecar(told["mark"], told["model"], docs, told["shelves"], places, Scanned(numpy.asarray(matrix)))
    except (KeyError, ValueError, TypeError) as error:
        raise Damaged(f"it cannot be read: {error!r}") from None
    if zlib.crc32(places.tobytes(), zlib.crc32(docs.tobytes())) != told["places"] or sum_of(matrix) != told["numbers"]:
        raise Damaged("its sums are wrong")
    return one


def header(path: Path) -> "tuple[dict[str, Any], int]":
    """What the file says of itself, and where its numbers begin."""
    with path.open("rb") as file:
        magic, crc, length = file.read(len(MAGIC)), file.read(4), int.from_bytes(file.read(4), "little")
        text = file.read(length) if length <= LONGEST_HEADER else b""
    if magic != MAGIC or len(text) != length or zlib.crc32(text) != int.from_bytes(crc, "little"):
        raise Damaged("its beginning is damaged")
    return json.loads(text), len(MAGIC) + 8 + length
