"""Save the vectors of many short texts in a file, so that only new and changed texts are embedded."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from openkoi_hookspecs import Embedder
from openkoi_hookspecs.lazy_dataclass import dataclass

from .embedders import embed_texts, make_embed
from .saved_index import read_file, write_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .exact_search import VectorMatrix

DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class SavedVectors:
    """The vectors in a file, the digests of their texts, and the state of all of these."""

    state: str
    digests: Sequence[bytes]
    rows: "NDArray[Any]"


def embed_saved(embedder: Embedder, state: str, make_texts: Callable[[], Sequence[str]], path: Path) -> "VectorMatrix":
    """Return the vectors of texts; if the texts have changed since the file was saved, embed the new ones.

    ``path`` is a file's without its ending; each embedder has a file of its own. A folder that cannot be written to
    only costs time. ``state`` changes with a text.
    """
    from .exact_search import VectorMatrix

    path = path.with_name(f"{path.name}-{digest(embedder.id).hex()}.vectors")
    saved = read_vectors(path)
    if saved is None or saved.state != state:
        saved = update_vectors(embedder, state, make_texts(), saved)
        write_file(path, encode_vectors(saved))
    return VectorMatrix(saved.rows)


def update_vectors(embedder: Embedder, state: str, texts: Sequence[str], saved: SavedVectors | None) -> SavedVectors:
    """Return the vectors of texts; embed those that are not saved."""
    import numpy

    digests = [digest(text) for text in texts]
    rows = dict(zip(saved.digests, saved.rows, strict=True)) if saved else {}
    if fresh := {key: text for key, text in zip(digests, texts, strict=True) if key not in rows}:
        rows |= zip(fresh, embed_texts(make_embed(embedder), list(fresh.values())).matrix, strict=True)
    return SavedVectors(state, digests, numpy.stack([rows[key] for key in digests]))


def encode_vectors(saved: SavedVectors) -> bytes:
    """Return vectors as the content of a file."""
    import numpy

    content, keys = BytesIO(), numpy.frombuffer(b"".join(saved.digests), numpy.uint8)
    numpy.savez(content, state=numpy.array(saved.state), keys=keys, rows=saved.rows)
    return content.getvalue()


def read_vectors(path: Path) -> SavedVectors | None:
    """Return the vectors in a file; None if it cannot be read."""
    import numpy

    with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), numpy.load(BytesIO(read_file(path))) as file:
        keys, rows = file["keys"].tobytes(), file["rows"]
        digests = [keys[start : start + DIGEST_BYTES] for start in range(0, len(keys), DIGEST_BYTES)]
        return SavedVectors(str(file["state"]), digests, rows) if len(digests) == len(rows) else None
    return None


def digest(text: str) -> bytes:
    """Return a digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
