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
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .packing import Packed
from .scanning import Likeness, Scanned, scannable
from .signs import Signs
from .sums import CorruptFileError, Late, Mapped, check_sum, sum_of, sums_of_rows

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Numbers

    Parts = Mapping[str, NDArray[Any]]
    Versions = NDArray[numpy.uint64]

MAGIC = b"KOIVEC03"
LONGEST_HEADER = 1 << 20
EDGE = 64
TYPES = {
    "docs": "int64",
    "places": "int64",
    "versions": "uint64",
    "gone": "int64",
    "sums": "uint64",
    "packed": "float32",
    "signs": "uint64",
    "matrix": "float32",
}
LATE = ("packed", "signs", "matrix")


@dataclass(frozen=True)
class Sidecar:
    """Vectors of documents, and the shelves that these stand on. ``model`` made them, ``mark`` names their state.

    ``versions`` tell a vector from another one of the same document. A tail has only what came after the state that
    ``base`` names, and of that state ``gone`` lists what counts no more.
    """

    mark: str
    model: str
    docs: "Numbers"
    shelves: Sequence[str]
    places: "Numbers"
    scanned: Scanned
    versions: "Versions | None" = None
    base: str = ""
    gone: "Numbers | None" = None

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        found: int = self.scanned.matrix.shape[1]
        return found

    def after(self, base: "Sidecar", gone: "Numbers") -> "Sidecar":
        """The same vectors as a tail."""
        return replace(self, base=base.mark, gone=gone)

    def without_vectors(self, mark: str) -> "Sidecar":
        """Return none of the vectors, in another state."""
        scanned = Scanned(self.scanned.matrix[:0])
        versions = None if self.versions is None else self.versions[:0]
        return Sidecar(mark, self.model, self.docs[:0], self.shelves, self.places[:0], scanned, versions)

    def nearest(self, vector: Sequence[float], most: int, shelves: Sequence[str]) -> Mapping[int, float]:
        """The nearest documents on these shelves, and their cosines."""
        rows, scores = self.scanned.nearest(vector, most, self.rows_on(shelves))
        return dict(zip(self.docs[rows].tolist(), scores.tolist(), strict=True))

    def cosines(self, vector: Sequence[float], docs: Sequence[int]) -> Mapping[int, float]:
        """The cosines of those of the documents that have a vector."""
        known, rows = self.rows_of(docs)
        return dict(zip(known, self.scanned.scores_of(rows, vector).tolist(), strict=True))

    def rows_on(self, shelves: Sequence[str]) -> "Numbers | None":
        """The rows that stand on these shelves; None when all do."""
        import numpy

        wanted = [place for place, shelf in enumerate(self.shelves) if shelf in shelves]
        if len(wanted) == len(self.shelves):
            return None
        if not wanted:
            return numpy.zeros(0, numpy.int64)
        found: Numbers = numpy.flatnonzero(numpy.isin(self.places, wanted))
        return found

    def rows_of(self, docs: Sequence[int]) -> "tuple[list[int], Numbers]":
        """Those of the documents that have a vector, and their rows."""
        import numpy

        asked = numpy.array(docs, numpy.int64)
        rows = numpy.searchsorted(self.docs, asked)
        there = numpy.append(self.docs, -1)[rows] == asked
        return asked[there].tolist(), rows[there]


def searchable(one: Sidecar) -> Sidecar:
    """The same vectors, with the likeness that their number asks for."""
    return replace(one, scanned=scannable(one.scanned.matrix))


def write(path: Path, one: Sidecar) -> None:
    """Write a file, then rename it into place; raise OSError when there is no room."""
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
    parts: dict[str, NDArray[Any]] = {"docs": one.docs, "places": one.places}
    parts |= {"versions": one.versions} if one.versions is not None else {}
    parts |= {"gone": one.gone} if one.gone is not None else {}
    parts |= {"sums": sums_of_rows(one.scanned.matrix)}
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
        "base": one.base,
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
            parts = dict(map_arrays(file, told["parts"], start))
        for name in parts.keys() - set(LATE):
            check_sum(parts[name], told["sums"][name], name)
        likeness = likeness_of(told, parts)
        rows = Mapped(parts["matrix"], parts["sums"])
        scanned = Scanned(parts["matrix"], likeness, rows)
        columns = (parts["docs"], told["shelves"], parts["places"], scanned, parts.get("versions"))
        return Sidecar(told["mark"], told["model"], *columns, told["base"], parts.get("gone"))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise CorruptFileError(f"it cannot be read: {error!r}") from None


def header(file: IO[bytes]) -> "tuple[dict[str, Any], int]":
    """What the file says of itself, and where its numbers begin."""
    magic, crc, length = file.read(len(MAGIC)), file.read(4), int.from_bytes(file.read(4), "little")
    text = file.read(length) if length <= LONGEST_HEADER else b""
    if magic != MAGIC or len(text) != length or zlib.crc32(text) != int.from_bytes(crc, "little"):
        raise CorruptFileError("its beginning is damaged")
    return json.loads(text), len(MAGIC) + 8 + length


def map_arrays(
    file: IO[bytes], shapes: "Mapping[str, Sequence[int]]", start: int
) -> "Iterator[tuple[str, NDArray[Any]]]":
    """Yield the parts of a file by name, without reading them."""
    import mmap

    import numpy

    size = os.fstat(file.fileno()).st_size
    lengths = [numpy.dtype(TYPES[name]).itemsize * int(numpy.prod(shape)) for name, shape in shapes.items()]
    ends = list(accumulate((-(-length // EDGE) * EDGE for length in lengths), initial=start))
    if size != ends[-1]:
        raise CorruptFileError("it has another size than it says")
    bytes_of = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for (name, shape), begin, length, end in zip(shapes.items(), ends, lengths, ends[1:], strict=False):
        if any(bytes_of[begin + length : end]):
            raise CorruptFileError("there is something where nothing should be")
        yield name, numpy.frombuffer(bytes_of, TYPES[name], int(numpy.prod(shape)), begin).reshape(shape)


def likeness_of(told: "Mapping[str, Any]", parts: "Parts") -> Likeness | None:
    """The first look that is in a file, to be checked when it is first looked at."""
    size = len(parts["docs"])
    if "packed" in parts:
        return Packed(parts["packed"], told["scale"], told["margin"], size, Late(told["sums"]["packed"]))
    return Signs(parts["signs"], Late(told["sums"]["signs"])) if "signs" in parts else None
