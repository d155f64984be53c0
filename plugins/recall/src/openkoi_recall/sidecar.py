"""The copy of all vectors in a file of its own, which is mapped into memory instead of being read.

It is written beside and then renamed, carries sums of every part, and says which state of the tables it is a copy of.
One that is cut, torn, damaged, of another state or not there is no loss: it is made again from the tables. Of what is
read each part is checked before it is first believed, and of the vectors those that are looked at: a question to a file
of a hundred thousand does not wait for all of it. Knows bytes; knows no database.
"""

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .packing import Packed
from .scanning import Likeness, Scanned, scannable
from .signs import Signs
from .sums import Damaged, Late, Mapped, checked, sum_of, sums_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bm25 import Numbers

    Parts = Mapping[str, NDArray[Any]]

MAGIC = b"KOIVEC02"
LONGEST_HEADER = 1 << 20
EDGE = 64
TYPES = {
    "docs": "int64",
    "places": "int64",
    "sums": "uint64",
    "packed": "float32",
    "signs": "uint64",
    "matrix": "float32",
}


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


def searchable(one: Sidecar) -> Sidecar:
    """The same vectors, with the likeness that their number asks for."""
    return Sidecar(one.mark, one.model, one.docs, one.shelves, one.places, scannable(one.scanned.matrix))


def write(path: Path, one: Sidecar) -> None:
    """Write a file beside, and put it in place when it is whole; raises OSError when there is no room."""
    parts = parts_of(one)
    head = head_of(one, parts)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(head)
            for part in parts.values():
                part.tofile(file)
                file.write(bytes(-part.nbytes % EDGE))
            file.flush()
            os.fsync(file.fileno())
            whole = len(head) + sum(-(-part.nbytes // EDGE) * EDGE for part in parts.values())
            if os.fstat(file.fileno()).st_size != whole:
                raise OSError("the disk took less than it was given")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def parts_of(one: Sidecar) -> "Parts":
    """What is written, in order."""
    likeness = one.scanned.likeness
    parts = {"docs": one.docs, "places": one.places, "sums": sums_of_rows(one.scanned.matrix)}
    if isinstance(likeness, Packed):
        parts["packed"] = likeness.columns
    elif isinstance(likeness, Signs):
        parts["signs"] = likeness.bits
    return parts | {"matrix": one.scanned.matrix}


def head_of(one: Sidecar, parts: "Parts") -> bytes:
    """What stands before the numbers, its own sum first; its end is where a number may begin."""
    likeness = one.scanned.likeness
    told: dict[str, object] = {
        "mark": one.mark,
        "model": one.model,
        "shelves": list(one.shelves),
        "parts": {name: list(part.shape) for name, part in parts.items()},
        "sums": {name: sum_of(part) for name, part in parts.items() if name != "matrix"},
    }
    if isinstance(likeness, Packed):
        told |= {"scale": likeness.scale, "margin": likeness.margin}
    text = json.dumps(told).encode()
    text += b" " * (-(len(MAGIC) + 8 + len(text)) % EDGE)
    return MAGIC + zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text


def read(path: Path) -> Sidecar:
    """Map a file; raises Damaged when it is not what was written, now or when it is used, OSError when not there."""
    try:
        with path.open("rb") as file:
            told, start = header(file)
            parts = dict(mapped(file, told["parts"], start))
        for name in ("docs", "places", "sums"):
            checked(parts[name], told["sums"][name], name)
        likeness = likeness_of(told, parts)
        rows = Mapped(parts["matrix"], parts["sums"])
        scanned = Scanned(parts["matrix"], likeness, rows)
        return Sidecar(told["mark"], told["model"], parts["docs"], told["shelves"], parts["places"], scanned)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise Damaged(f"it cannot be read: {error!r}") from None


def header(file: IO[bytes]) -> "tuple[dict[str, Any], int]":
    """What the file says of itself, and where its numbers begin."""
    magic, crc, length = file.read(len(MAGIC)), file.read(4), int.from_bytes(file.read(4), "little")
    text = file.read(length) if length <= LONGEST_HEADER else b""
    if magic != MAGIC or len(text) != length or zlib.crc32(text) != int.from_bytes(crc, "little"):
        raise Damaged("its beginning is damaged")
    return json.loads(text), len(MAGIC) + 8 + length


def mapped(file: IO[bytes], shapes: "Mapping[str, Sequence[int]]", start: int) -> "Iterator[tuple[str, NDArray[Any]]]":
    """The parts of a file, by their names, none of them read yet."""
    import mmap

    import numpy

    size = os.fstat(file.fileno()).st_size
    ends = [start]
    for name, shape in shapes.items():
        length = numpy.dtype(TYPES[name]).itemsize * int(numpy.prod(shape))
        ends.append(ends[-1] + -(-length // EDGE) * EDGE)
    if size != ends[-1]:
        raise Damaged("it has another size than it says")
    bytes_of = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for (name, shape), begin in zip(shapes.items(), ends, strict=False):
        count = int(numpy.prod(shape))
        yield name, numpy.frombuffer(bytes_of, TYPES[name], count, begin).reshape(shape)


def likeness_of(told: "Mapping[str, Any]", parts: "Parts") -> Likeness | None:
    """The first look that is in a file, to be checked when it is first looked at."""
    size = len(parts["docs"])
    if "packed" in parts:
        return Packed(parts["packed"], told["scale"], told["margin"], size, Late(told["sums"]["packed"]))
    return Signs(parts["signs"], Late(told["sums"]["signs"])) if "signs" in parts else None
