"""What can be wrong with the memory file, told apart by SQLite's own codes.

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

WAITING = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
OUTSIDE = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL),
}
NO_SEARCH = "no such module"


class MemoryBusy(KoiError):
    """Another process is writing."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__(
            f"The memory file {path} was being written by another process for more than {seconds:g} s. "
            "Nothing is lost: the run log has it all, and the next start catches up."
        )


class MemoryNewer(KoiError):
    """The file has tables that only a newer OpenKoi knows."""

    def __init__(self, path: Path, version: object) -> None:
        super().__init__(
            f"The memory file {path} was made by a newer OpenKoi (version {version} of its tables) and was left alone. "
            "Update OpenKoi, or move the file away: it is built again from the run log."
        )


class MemoryUnusable(KoiError):
    """The file cannot be used, and that is not its own fault."""

    def __init__(self, path: Path, cause: object) -> None:
        super().__init__(
            f"The memory file {path} cannot be used ({cause}). "
            "Make room or give access; the run log has it all, and the next start catches up."
        )


class Ailment(Enum):
    """What keeps us from working with the file."""

    BUSY = auto()
    OUTSIDE = auto()
    NEWER = auto()
    DAMAGED = auto()


class Sick(Exception):
    """The file could not be worked with. Never leaves the plugin."""

    def __init__(self, ailment: Ailment, cause: object) -> None:
        super().__init__(str(cause))
        self.ailment = ailment


@contextmanager
def diagnosing() -> Iterator[None]:
    """Turn SQLite's errors into what they mean for the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise Sick(diagnosed(error), error) from error
    except UnicodeDecodeError as error:
        raise Sick(Ailment.DAMAGED, error) from error
    except OSError as error:
        raise Sick(Ailment.OUTSIDE, error) from error


def diagnosed(error: sqlite3.Error) -> Ailment:
    """Tell a file that is in use from one that is damaged, and both from a full disk."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in WAITING:
        return Ailment.BUSY
    return Ailment.OUTSIDE if code in OUTSIDE or NO_SEARCH in str(error) else Ailment.DAMAGED
