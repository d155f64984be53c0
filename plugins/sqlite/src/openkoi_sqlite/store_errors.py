"""Classify what is wrong with the memory file by SQLite's error codes.

KoiError
├── MemoryBusy        another process writes; nothing is lost
├── MemoryNewer       a newer OpenKoi made the file; it is left alone
└── MemoryUnusable    the disk is full, or the file may not be written, or this Python's SQLite lacks something
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path

from openkoi_hookspecs import KoiError

BUSY_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
OUTSIDE_CODES = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL),
}
NO_SEARCH = "no such module"


class MemoryBusyError(KoiError):
    """Another process is writing."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__(
            f"The memory file {path} was being written by another process for more than {seconds:g} s. "
            "Nothing is lost: the run log has it all, and the next start catches up."
        )


class MemoryNewerError(KoiError):
    """The file was written by a newer OpenKoi."""

    def __init__(self, path: Path, version: object) -> None:
        super().__init__(
            f"The memory file {path} was made by a newer OpenKoi (version {version} of its tables) and was left alone. "
            "Update OpenKoi, or move the file away: it is built again from the run log."
        )


class MemoryUnusableError(KoiError):
    """The file cannot be used, for a reason outside the file."""

    def __init__(self, path: Path, cause: object) -> None:
        super().__init__(
            f"The memory file {path} cannot be used ({cause}). "
            "Make room or give access; the run log has it all, and the next start catches up."
        )


class StoreFailureKind(Enum):
    """Why the file cannot be used."""

    BUSY = auto()
    OUTSIDE = auto()
    NEWER = auto()
    DAMAGED = auto()


class StoreError(Exception):
    """The file could not be used; never leaves the plugin."""

    def __init__(self, kind: StoreFailureKind, cause: object) -> None:
        super().__init__(str(cause))
        self.kind = kind


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn SQLite's errors into what they mean for the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(classify_error(error), error) from error
    except UnicodeDecodeError as error:
        raise StoreError(StoreFailureKind.DAMAGED, error) from error
    except OSError as error:
        raise StoreError(StoreFailureKind.OUTSIDE, error) from error


def classify_error(error: sqlite3.Error) -> StoreFailureKind:
    """Tell a file in use from a damaged one, and both from a full disk."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in BUSY_CODES:
        return StoreFailureKind.BUSY
    return StoreFailureKind.OUTSIDE if code in OUTSIDE_CODES or NO_SEARCH in str(error) else StoreFailureKind.DAMAGED
