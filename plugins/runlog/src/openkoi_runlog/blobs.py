"""Store the bytes of images and files in separate files named by digest, so that lines of the log stay short.

A file is written, and synced, before the line that refers to it. The files of one data folder serve all its sessions.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any

from openkoi_base.files import replace_file, sync_folder
from openkoi_hookspecs import Blob, File, Image
from openkoi_hookspecs.lazy_pattern import lazy_pattern

BLOB, SIZE = "blob", "size"
MARK = b'{"blob":"'
DIGEST = lazy_pattern("[0-9a-f]{64}")
REFERENCE = lazy_pattern(rb'\{"blob":"([0-9a-f]{64})","size":\d+\}')
NO_BLOBS = Path("no-blobs")


READING: ContextVar[Path] = ContextVar("reading", default=NO_BLOBS)


@contextmanager
def use_blob_folder(folder: Path) -> Iterator[None]:
    """Use a folder to look up the bytes that lines refer to."""
    before = READING.set(folder)
    try:
        yield
    finally:
        READING.reset(before)


def to_stored(
    part: Image | File, redact: Callable[[str], str] | None = None, blobs: dict[str, bytes] | None = None
) -> Image | File:
    """Return an image or a file with a reference in place of its bytes, which are added to ``blobs``.

    Secrets in a text file are masked.
    """
    if isinstance(part.content, Blob):
        return part
    content = without_secrets(part.content, redact) if redact and isinstance(part, File) else part.content
    from hashlib import sha256

    digest = sha256(content).hexdigest()
    if blobs is not None:
        blobs[digest] = content
    return replace(part, content=Blob(digest, len(content), blob_path(digest, READING.get())))


def without_secrets(content: bytes, redact: Callable[[str], str]) -> bytes:
    """Return a text without secrets, whatever its media type; return bytes that are not UTF-8 unchanged."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    clean = redact(text)
    return content if clean == text else clean.encode()


def make_reference(blob: Blob) -> dict[str, Any]:
    """Return the reference that replaces bytes in a line."""
    return {BLOB: blob.digest, SIZE: blob.size}


def read_reference(value: Any) -> Blob:
    """Return the bytes that a line refers to; raises ValueError, TypeError or KeyError for anything else."""
    digest = value[BLOB]
    if not DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is not a digest")
    return Blob(digest, int(value[SIZE]), blob_path(digest, READING.get()))


def store_blobs(blobs: Mapping[str, bytes], folder: Path) -> None:
    """Write bytes to their files, unless these exist; raises OSError."""
    for digest, content in blobs.items():
        path = blob_path(digest, folder)
        if not path.is_file() or path.stat().st_size != len(content):
            replace_file(path, content)
            for parent in (path.parent, folder, folder.parent):
                sync_folder(parent)


def blob_path(digest: str, folder: Path) -> Path:
    """Return the file of the bytes with a digest."""
    return folder / digest[:2] / digest


def blob_folder(segment: Path) -> Path:
    """Return the folder of the bytes that a file of the log refers to, archived or not."""
    return segment.parent.parent / "blobs"


def find_digests(line: bytes) -> list[str]:
    """Return the digests of the bytes that a line refers to."""
    return [found.decode() for found in REFERENCE.findall(line)]
