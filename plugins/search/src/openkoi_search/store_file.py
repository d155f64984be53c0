"""Implement what memories' database files share: moving them aside, and interpreting their errors."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from secrets import token_hex
from typing import Generic, TypeVar

from .lock_timeout import LockTimeout
from .memory_file_errors import MemoryBusyError, MemoryNewerError, MemoryUnusableError, StoreError, StoreFailureKind

C = TypeVar("C")
T = TypeVar("T")


class StoreFile(ABC, Generic[C]):
    """A database file that is opened for one piece of work, waiting up to ``seconds`` for other processes."""

    path: Path
    seconds: float

    @property
    @abstractmethod
    def log(self) -> Path:
        """The separate file with changes that are not in this one yet."""

    @abstractmethod
    def read(self, work: Callable[[C], T], timeout: LockTimeout, /) -> T | None:
        """Run a read; return None if there is no readable file."""

    @abstractmethod
    def write(self, work: Callable[[C], T], timeout: LockTimeout, /) -> T:
        """Run a write; create a new file if there is none that can be used."""

    @abstractmethod
    def hold_alone(self) -> AbstractContextManager[object]:
        """Lock out other processes while the file is moved."""

    @abstractmethod
    def move(self, to: Path) -> None:
        """Move the file and what belongs to it; the caller has the lock."""

    @abstractmethod
    def discard(self) -> None:
        """Delete the file and all that belongs to it."""

    def make_way(self, fresh: "StoreFile[C] | None" = None) -> Path | None:
        """Move the file aside, replacing one that was moved there before, and a fresh one into its place.

        Return where the old file is; None if there was none.
        """
        old = self.path.with_name(f"{self.path.name}.old")
        with self.hold_alone():
            there = self.path.exists()
            if there:
                self.move(old)
            if fresh and fresh.path.exists():
                fresh.move(self.path)
        return old if there else None

    def raise_unless_replaceable(self, sick: StoreError, version: int) -> None:
        """Raise the user's error for an error of the file, unless a new file helps."""
        match sick.kind:
            case StoreFailureKind.BUSY:
                raise MemoryBusyError(self.path, self.seconds)
            case StoreFailureKind.OUTSIDE:
                raise MemoryUnusableError(self.path, sick)
            case StoreFailureKind.NEWER:
                raise MemoryNewerError(self.path, str(sick), version)


def delete_path(path: Path) -> None:
    """Delete a file that is in the way, or rename a folder, which may be the user's."""
    if path.is_dir():
        path.replace(path.with_name(f"{path.name}-{token_hex(4)}"))
    else:
        path.unlink(missing_ok=True)
