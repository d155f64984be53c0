"""Open the memory file for one piece of work in one transaction, and close it again.

Many read while one writes. A damaged file is moved aside, and the next writer makes a new one.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import field
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from openkoi_base.files import lock_beside, private_folder
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.lock_timeout import LockTimeout
from openkoi_search.memory_file_errors import (
    MemoryUnusableError,
    StoreError,
    StoreFailureKind,
    damaged_path,
    raise_unless_file,
    warn_damaged,
)
from openkoi_search.store_file import StoreFile, delete_path

from .checksums import check_words, store_words_checksum
from .schema import TABLES, VERSION
from .store_errors import translate_errors

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
BEGIN_READ, BEGIN_WRITE = "BEGIN", "BEGIN IMMEDIATE"
FILE_ENDINGS = ("", "-wal", "-shm")
NOT_A_MEMORY = "it is not a memory file, or was created by an older OpenKoi"
SETTINGS = ("PRAGMA synchronous = NORMAL", "PRAGMA cell_size_check = ON")


@dataclass(slots=True)
class SQLiteMemoryFile(StoreFile[sqlite3.Connection]):
    """A file, and for how many seconds to wait for it. ``checked_inode`` identifies the file that passed its check."""

    path: Path
    seconds: float
    checked_inode: int = field(default=0)

    def read(self, work: Work[T], patience: LockTimeout) -> T | None:
        """Read concurrently with readers and writers; return None if there is no readable file."""
        with suppress(StoreError):
            return self.attempt(work, patience, BEGIN_READ) if self.path.exists() else None
        return None

    def write(self, work: Work[T], patience: LockTimeout) -> T:
        """Run a write; create a new file if there is none that can be used."""
        with suppress(StoreError):
            return self.attempt(work, patience, BEGIN_WRITE)
        with suppress(StoreError):
            return self.attempt(work, patience, BEGIN_WRITE)
        raise MemoryUnusableError(self.path, "a new file cannot be used either")

    def attempt(self, work: Work[T], patience: LockTimeout, begin: str) -> T:
        """Open, work, close, and retry while the file is busy; raise StoreError after moving a damaged file aside."""
        while True:
            inode = self.inode
            try:
                with translate_errors():
                    return self.run_in_transaction(work, begin)
            except StoreError as sick:
                if sick.kind is StoreFailureKind.BUSY and patience.lasts():
                    continue
                self.handle_error(sick, inode)
                raise

    def run_in_transaction(self, work: Work[T], begin: str) -> T:
        """Do the work in one transaction: all of it or nothing."""
        if begin != BEGIN_READ:
            self.create_file()
        for path in self.list_files(self.path):
            raise_unless_file(path)
        with closing(open_connection(self.path)) as connection:
            connection.execute(begin)
            self.check_file(connection)
            done = work(connection)
            connection.execute("COMMIT")
            return done

    def create_file(self) -> None:
        """Create a file with empty tables under another name, then rename it, so that it is never seen incomplete."""
        if self.path.exists():
            return
        private_folder(self.path.parent)
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with lock_beside(self.path):
            if self.path.exists():
                return
            for left in (*self.list_files(self.path), *self.list_files(fresh)):
                left.unlink(missing_ok=True)
            try:
                os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                with closing(open_connection(fresh)) as connection:
                    create_tables(connection)
                fresh.replace(self.path)
            finally:
                for left in self.list_files(fresh):
                    left.unlink(missing_ok=True)

    def check_file(self, connection: sqlite3.Connection) -> None:
        """Raise StoreError if the tables are foreign or damaged."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            newer = version > VERSION
            raise StoreError(
                StoreFailureKind.NEWER if newer else StoreFailureKind.DAMAGED, version if newer else NOT_A_MEMORY
            )
        if self.checked_inode != self.inode:
            check_words(connection)
            self.checked_inode = self.inode

    @property
    def inode(self) -> int:
        """The id of the file, which differs after the file was moved aside."""
        return self.path.stat().st_ino if self.path.exists() else 0

    @property
    def size(self) -> int:
        """The size on disk in bytes."""
        return sum(path.stat().st_size for path in self.list_files(self.path) if path.exists())

    def handle_error(self, sick: StoreError, inode: int) -> None:
        """Move the file aside if a new one helps; otherwise raise."""
        self.raise_unless_replaceable(sick, VERSION)
        bad = damaged_path(self.path)
        if self.move_same(bad, inode):
            warn_damaged(self.path, bad, sick)

    @property
    def log(self) -> Path:
        """The file for changes that SQLite has not moved to the main file yet."""
        return self.path.with_name(f"{self.path.name}-wal")

    def hold_alone(self) -> AbstractContextManager[object]:
        """Lock out other processes while the file is moved."""
        return lock_beside(self.path)

    def move_same(self, to: Path, inode: int) -> bool:
        """Move this file; return whether it was still there."""
        with lock_beside(self.path):
            if not inode or self.inode != inode:
                return False
            self.move(to)
        return True

    def move(self, to: Path) -> None:
        """Move the file and those that belong to it; the caller has the lock."""
        for source, target in reversed([*zip(self.list_files(self.path), self.list_files(to), strict=True)]):
            delete_path(target)
            if source.exists():
                source.replace(target)

    def discard(self) -> None:
        """Delete the file and all that belongs to it."""
        for path in (*self.list_files(self.path), self.path.with_name(f".{self.path.name}.lock")):
            delete_path(path)

    def list_files(self, path: Path) -> list[Path]:
        """Return a file and those that SQLite stores next to it."""
        return [path.with_name(path.name + ending) for ending in FILE_ENDINGS]


def open_connection(path: Path) -> sqlite3.Connection:
    """Return a connection that does not wait; timeouts are handled here."""
    connection = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    try:
        for setting in SETTINGS:
            connection.execute(setting)
    except BaseException:
        connection.close()
        raise
    return connection


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables, and give the file an id."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(BEGIN_WRITE)
    for statement in filter(str.strip, TABLES.split(";\n")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("INSERT INTO state VALUES ('born', ?)", [token_hex(8)])
    store_words_checksum(connection)
    connection.execute("COMMIT")


def read_file_id(connection: sqlite3.Connection) -> str:
    """Return the file's id; facts about a file that was moved aside do not apply to the next one."""
    found = connection.execute("SELECT value FROM state WHERE name = 'born'").fetchone()
    return str(found[0]) if found else ""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block as a transaction: keep all of its changes or none."""
    with connection:
        connection.execute("BEGIN")
        yield
