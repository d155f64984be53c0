"""Classify problems with the memory file by SQLite's error codes."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from openkoi_search.memory_file_errors import StoreError, StoreFailureKind

BUSY_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
OUTSIDE_CODES = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL),
}
NO_SEARCH = "no such module"


@contextmanager
def translate_errors() -> Iterator[None]:
    """Convert SQLite's errors to errors about the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(classify_error(error), error) from error
    except UnicodeDecodeError as error:
        raise StoreError(StoreFailureKind.DAMAGED, error) from error
    except OSError as error:
        raise StoreError(StoreFailureKind.OUTSIDE, error) from error


def classify_error(error: sqlite3.Error) -> StoreFailureKind:
    """Distinguish a file in use, a damaged file, and a full disk."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in BUSY_CODES:
        return StoreFailureKind.BUSY
    return StoreFailureKind.OUTSIDE if code in OUTSIDE_CODES or NO_SEARCH in str(error) else StoreFailureKind.DAMAGED
