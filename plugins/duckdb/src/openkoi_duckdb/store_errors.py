"""Classify what is wrong with the memory file by DuckDB's errors.

KoiError
├── MemoryBusy        another process has the file; nothing is lost
├── MemoryNewer       a newer OpenKoi made the file; it is left alone
└── MemoryUnusable    the disk is full, or the file may not be written
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path

from openkoi_hookspecs import KoiError

OUTSIDE_MESSAGES = (
    "no space left",
    "permission denied",
    "read-only",
    "out of memory",
    "too many open files",
    "file too large",
    "quota exceeded",
)
DAMAGE_TYPES = (
    "CatalogException",
    "Error",
    "FatalException",
    "InternalException",
    "IOException",
    "SerializationException",
)


class MemoryBusyError(KoiError):
    """Another process has the memory file open."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__(
            f"The memory file {path} has been in use by another process for {seconds:g} s. "
            "Nothing is lost: the run log keeps everything, and the next start catches up."
        )


class MemoryUnusableError(KoiError):
    """The memory file cannot be used, for a reason outside the file."""

    def __init__(self, path: Path, cause: object) -> None:
        first, *_ = str(cause).splitlines() or [type(cause).__name__]
        super().__init__(
            f"The memory file {path} cannot be used ({first}). "
            "Make room or give access; the run log keeps everything, and the next start catches up."
        )


class MemoryNewerError(KoiError):
    """The memory file was written by a newer OpenKoi."""

    def __init__(self, path: Path, version: str, known: int) -> None:
        super().__init__(
            f"The memory file {path} has version {version}, which a newer OpenKoi gave it; this one knows {known}. "
            "It was left alone, and the run log answers all the same. "
            "Update OpenKoi, or build memory again for this one: openkoi memory rebuild."
        )


class StoreFailureKind(Enum):
    """Why the file cannot be used."""

    BUSY = auto()
    OUTSIDE = auto()
    OUTDATED = auto()
    NEWER = auto()
    DAMAGED = auto()


class StoreError(Exception):
    """The file could not be used; never leaves the plugin."""

    def __init__(self, kind: StoreFailureKind, cause: object) -> None:
        super().__init__(str(cause))
        self.kind = kind


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn DuckDB's errors into what they mean for the file."""
    from .native import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise StoreError(classify_error(error), error) from error


def classify_error(error: Exception) -> StoreFailureKind:
    """Tell a file in use from a damaged one, and both from a full disk."""
    text = str(error).lower()
    if "could not set lock" in text or "unique file handle conflict" in text:
        return StoreFailureKind.BUSY
    if any(word in text for word in OUTSIDE_MESSAGES):
        return StoreFailureKind.OUTSIDE
    return StoreFailureKind.DAMAGED if type(error).__name__ in DAMAGE_TYPES else StoreFailureKind.OUTSIDE
