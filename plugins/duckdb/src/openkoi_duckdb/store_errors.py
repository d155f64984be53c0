"""Classify problems with the memory file by DuckDB's errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from openkoi_search.memory_file_errors import StoreError, StoreFailureKind

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


@contextmanager
def translate_errors() -> Iterator[None]:
    """Convert DuckDB's errors to errors about the file."""
    from .native import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise StoreError(classify_error(error), error) from error


def classify_error(error: Exception) -> StoreFailureKind:
    """Distinguish a file in use, a damaged file, and a full disk."""
    text = str(error).lower()
    if "could not set lock" in text or "unique file handle conflict" in text:
        return StoreFailureKind.BUSY
    if any(word in text for word in OUTSIDE_MESSAGES):
        return StoreFailureKind.OUTSIDE
    return StoreFailureKind.DAMAGED if type(error).__name__ in DAMAGE_TYPES else StoreFailureKind.OUTSIDE
