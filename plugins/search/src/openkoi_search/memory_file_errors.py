"""The errors of a memory file (in use, newer, corrupt, disk full), shared by all memories that have one.

KoiError
├── MemoryBusyError      another process has the file; nothing is lost
├── MemoryNewerError     a newer OpenKoi made the file; it is left alone
└── MemoryUnusableError  the disk is full, or the file may not be written, or the database lacks something
"""

from enum import Enum, auto
from pathlib import Path

from openkoi_hookspecs import KoiError


class MemoryBusyError(KoiError):
    """Another process has the memory file open."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__(
            f"The memory file {path} has been in use by another process for {seconds:g} s. "
            "Nothing is lost: the run log keeps everything, and the next start catches up."
        )


class MemoryUnusableError(KoiError):
    """The memory file cannot be used, for a reason outside the file."""

    def __init__(self, path: Path, cause: object, advice: str = "Free some space or fix its permissions") -> None:
        first, *_ = str(cause).splitlines() or [type(cause).__name__]
        super().__init__(
            f"The memory file {path} cannot be used ({first}). {advice}; the run log keeps everything, "
            "and the next start catches up."
        )


class MemoryNewerError(KoiError):
    """The memory file was written by a newer OpenKoi."""

    def __init__(self, path: Path, version: str, known: int) -> None:
        super().__init__(
            f"The memory file {path} has version {version}, but this OpenKoi supports only up to {known}. "
            "It was not changed, and the run log is searched instead. "
            "Update OpenKoi, or run `openkoi memory rebuild`."
        )


class StoreFailureKind(Enum):
    """Why the file cannot be used."""

    BUSY = auto()
    OUTSIDE = auto()
    OUTDATED = auto()
    NEWER = auto()
    DAMAGED = auto()


class StoreError(Exception):
    """The file could not be used; this error is handled within the plugin."""

    def __init__(self, kind: StoreFailureKind, cause: object) -> None:
        super().__init__(str(cause))
        self.kind = kind


def raise_unless_file(path: Path) -> None:
    """Raise StoreError unless it is a regular file: opening a pipe would block."""
    if path.exists() and not path.is_file():
        raise StoreError(StoreFailureKind.DAMAGED, f"{path.name} is not a file")


def damaged_path(path: Path) -> Path:
    """Return where damaged files of a memory are moved."""
    from datetime import UTC, datetime

    return path.with_name(f"{path.name}.bad-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")


def warn_damaged(path: Path, bad: Path, cause: object) -> None:
    """Warn that damaged files were moved."""
    import logging

    logging.getLogger("openkoi").warning(
        "The memory in %s could not be read (%s). It was moved to %s; memory is being rebuilt from the run log.",
        path,
        cause,
        bad.name,
    )
