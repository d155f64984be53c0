"""Save the vectors of many short texts in a file, so that only new and changed texts are embedded."""

from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from openkoi_hookspecs import Embedder

from .embedders import embed_texts, make_embed
from .saved_index import read_file, write_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .exact_search import VectorMatrix

DIGEST_BYTES = 16


def embed_saved(embedder: Embedder, texts: Sequence[str], path: Path) -> "VectorMatrix":
    """Return the vectors of texts; embed those that the file of this embedder does not contain.

    ``path`` is a file's without its ending. A folder that cannot be written to only costs time.
    """
    import numpy

    from .exact_search import VectorMatrix

    path = path.with_name(f"{path.name}-{digest(embedder.id).hex()}.vectors")
    digests, (saved, matrix) = [digest(text) for text in texts], read_rows(path)
    if saved == digests:
        return VectorMatrix(matrix)
    rows = dict(zip(saved, matrix, strict=True))
    fresh = {key: text for key, text in zip(digests, texts, strict=True) if key not in rows}
    if fresh:
        rows |= zip(fresh, embed_texts(make_embed(embedder), list(fresh.values())).matrix, strict=True)
        kept = {key: rows[key] for key in digests}
        content = BytesIO()
        numpy.savez(content, keys=numpy.frombuffer(b"".join(kept), numpy.uint8), rows=numpy.stack([*kept.values()]))
        write_file(path, content.getvalue())
    return VectorMatrix(numpy.stack([rows[key] for key in digests]))


def read_rows(path: Path) -> "tuple[Sequence[bytes], NDArray[Any]]":
    """Return the digests of the texts in a file, and their vectors; none if it cannot be read."""
    import numpy

    with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), numpy.load(BytesIO(read_file(path))) as file:
        keys, rows = file["keys"].tobytes(), file["rows"]
        digests = [keys[start : start + DIGEST_BYTES] for start in range(0, len(keys), DIGEST_BYTES)]
        if len(digests) == len(rows):
            return digests, rows
    return [], numpy.zeros((0, 0), numpy.float32)


def digest(text: str) -> bytes:
    """Return a digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
