"""Store a copy of all vectors in a file of its own, which is mapped into memory instead of being read.

It is written to a temporary file and renamed, has a checksum of every part, and names the state of the tables that it
copies. A copy that is incomplete, damaged, outdated or missing is rewritten from the tables. Each part is verified when
it is first used, and vectors when they are compared: a query of a hundred thousand does not wait for all of them.
"""

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .checksums import CheckedMatrix, CorruptFileError, LazyChecksum, checksum, row_checksums, verify_checksum
from .exact_search import FirstPass, VectorMatrix, with_first_pass
from .packed_vectors import PackedVectors
from .sign_bits import SignBits

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Numbers

    Parts = Mapping[str, NDArray[Any]]
    Versions = NDArray[numpy.uint64]

MAGIC = b"KOIVEC04"
MAX_HEADER_BYTES = 1 << 20
ALIGNMENT_BYTES = 64
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
VERIFIED_ON_USE = ("packed", "signs", "matrix")


@dataclass(frozen=True)
class VectorFile:
    """Vectors of documents, with the documents' scopes. ``model`` computed them, ``mark`` identifies their state.

    ``versions`` distinguish vectors of the same document. A tail contains only what came after the state that ``base``
    names, and ``gone`` lists the documents of the base that are outdated.
    """

    mark: str
    model: str
    docs: "Numbers"
    scopes: Sequence[str]
    places: "Numbers"
    vectors: VectorMatrix
    versions: "Versions | None" = None
    base: str = ""
    gone: "Numbers | None" = None

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        found: int = self.vectors.matrix.shape[1]
        return found

    def as_tail(self, base: "VectorFile", gone: "Numbers") -> "VectorFile":
        """Return the same vectors as a tail."""
        return replace(self, base=base.mark, gone=gone)

    def without_vectors(self, mark: str) -> "VectorFile":
        """Return the file's metadata without vectors, for another state."""
        scanned = VectorMatrix(self.vectors.matrix[:0])
        versions = None if self.versions is None else self.versions[:0]
        return VectorFile(mark, self.model, self.docs[:0], self.scopes, self.places[:0], scanned, versions)

    def nearest(self, vector: Sequence[float], most: int, scopes: Sequence[str]) -> Mapping[int, float]:
        """Return the nearest documents in these scopes, and their cosines."""
        rows, scores = self.vectors.nearest(vector, most, self.rows_in(scopes))
        return dict(zip(self.docs[rows].tolist(), scores.tolist(), strict=True))

    def cosines(self, vector: Sequence[float], docs: Sequence[int]) -> Mapping[int, float]:
        """Return the cosines of the documents that have a vector."""
        known, rows = self.rows_of(docs)
        return dict(zip(known, self.vectors.scores_of(rows, vector).tolist(), strict=True))

    def rows_in(self, scopes: Sequence[str]) -> "Numbers | None":
        """Return the rows in these scopes; None for all rows."""
        import numpy

        wanted = [place for place, scope in enumerate(self.scopes) if scope in scopes]
        if len(wanted) == len(self.scopes):
            return None
        if not wanted:
            return numpy.zeros(0, numpy.int64)
        found: Numbers = numpy.flatnonzero(numpy.isin(self.places, wanted))
        return found

    def rows_of(self, docs: Sequence[int]) -> "tuple[list[int], Numbers]":
        """Return the documents that have a vector, and their rows."""
        import numpy

        asked = numpy.array(docs, numpy.int64)
        rows = numpy.searchsorted(self.docs, asked)
        exists = numpy.append(self.docs, -1)[rows] == asked
        return asked[exists].tolist(), rows[exists]


def add_first_pass(file: VectorFile) -> VectorFile:
    """Return the same vectors with the first pass that suits their number."""
    return replace(file, vectors=with_first_pass(file.vectors.matrix))


def write(path: Path, vectors: VectorFile) -> None:
    """Write arrays one by one to save memory, then rename the file; raise OSError if the disk is full."""
    parts = parts_of(vectors)
    head = head_of(vectors, parts)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(head)
            for part in parts.values():
                part.tofile(file)
                file.write(bytes(-part.nbytes % ALIGNMENT_BYTES))
            file.flush()
            os.fsync(file.fileno())
            whole = len(head) + sum(-(-part.nbytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES for part in parts.values())
            if os.fstat(file.fileno()).st_size != whole:
                raise OSError("the disk is full: not all bytes were written")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def parts_of(vectors: VectorFile) -> "Parts":
    """Return the arrays to write, in order."""
    likeness = vectors.vectors.first_pass
    parts: dict[str, NDArray[Any]] = {"docs": vectors.docs, "places": vectors.places}
    parts |= {"versions": vectors.versions} if vectors.versions is not None else {}
    parts |= {"gone": vectors.gone} if vectors.gone is not None else {}
    parts |= {"sums": row_checksums(vectors.vectors.matrix)}
    if isinstance(likeness, PackedVectors):
        parts["packed"] = likeness.columns
    elif isinstance(likeness, SignBits):
        parts["signs"] = likeness.bits
    return parts | {"matrix": vectors.vectors.matrix}


def head_of(vectors: VectorFile, parts: "Parts") -> bytes:
    """Return the header, with its own checksum first, padded so that arrays are aligned."""
    likeness = vectors.vectors.first_pass
    header: dict[str, object] = {
        "mark": vectors.mark,
        "model": vectors.model,
        "base": vectors.base,
        "scopes": list(vectors.scopes),
        "parts": {name: list(part.shape) for name, part in parts.items()},
        "sums": {name: checksum(part) for name, part in parts.items() if name != "matrix"},
    }
    if isinstance(likeness, PackedVectors):
        header |= {"scale": likeness.scale, "margin": likeness.margin}
    text = json.dumps(header).encode()
    text += b" " * (-(len(MAGIC) + 8 + len(text)) % ALIGNMENT_BYTES)
    return MAGIC + zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text


def read(path: Path) -> VectorFile:
    """Map a file; raise CorruptFileError if it is damaged, now or on use, OSError if it is missing."""
    try:
        with path.open("rb") as file:
            header, start = read_header(file)
            parts = dict(map_arrays(file, header["parts"], start))
        for name in parts.keys() - set(VERIFIED_ON_USE):
            verify_checksum(parts[name], header["sums"][name], name)
        likeness = read_first_pass(header, parts)
        rows = CheckedMatrix(parts["matrix"], parts["sums"])
        scanned = VectorMatrix(parts["matrix"], likeness, rows)
        columns = (parts["docs"], header["scopes"], parts["places"], scanned, parts.get("versions"))
        return VectorFile(header["mark"], header["model"], *columns, header["base"], parts.get("gone"))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise CorruptFileError(f"invalid content: {error!r}") from None


def read_header(file: IO[bytes]) -> "tuple[dict[str, Any], int]":
    """Read the header, and where the arrays begin."""
    magic, crc, length = file.read(len(MAGIC)), file.read(4), int.from_bytes(file.read(4), "little")
    text = file.read(length) if length <= MAX_HEADER_BYTES else b""
    if magic != MAGIC or len(text) != length or zlib.crc32(text) != int.from_bytes(crc, "little"):
        raise CorruptFileError("damaged header")
    return json.loads(text), len(MAGIC) + 8 + length


def map_arrays(
    file: IO[bytes], shapes: "Mapping[str, Sequence[int]]", start: int
) -> "Iterator[tuple[str, NDArray[Any]]]":
    """Yield the parts of a file by name, without reading them."""
    import mmap

    import numpy

    size = os.fstat(file.fileno()).st_size
    lengths = [numpy.dtype(TYPES[name]).itemsize * int(numpy.prod(shape)) for name, shape in shapes.items()]
    ends = list(accumulate((-(-length // ALIGNMENT_BYTES) * ALIGNMENT_BYTES for length in lengths), initial=start))
    if size != ends[-1]:
        raise CorruptFileError("wrong size")
    bytes_of = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for (name, shape), begin, length, end in zip(shapes.items(), ends, lengths, ends[1:], strict=False):
        if any(bytes_of[begin + length : end]):
            raise CorruptFileError("the padding is not empty")
        yield name, numpy.frombuffer(bytes_of, TYPES[name], int(numpy.prod(shape)), begin).reshape(shape)


def read_first_pass(header: "Mapping[str, Any]", parts: "Parts") -> FirstPass | None:
    """Return the data of the first pass, to be verified on first use."""
    size = len(parts["docs"])
    if "packed" in parts:
        return PackedVectors(
            parts["packed"], header["scale"], header["margin"], size, LazyChecksum(header["sums"]["packed"])
        )
    return SignBits(parts["signs"], LazyChecksum(header["sums"]["signs"])) if "signs" in parts else None
