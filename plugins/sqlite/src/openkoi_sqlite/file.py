"""Open the memory file for one piece of work in one transaction, and close it again.

Many read while one writes. A damaged file is moved aside, and the next writer makes a new one.
"""

import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from openkoi_base.files import lock_beside, private_folder

from .patience import LockTimeout
from .schema import TABLES, VERSION
from .seals import check_words, seal_words
from .trouble import MemoryBusyError, MemoryNewerError, MemoryUnusableError, StoreError, StoreFailureKind, diagnosing

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
READING, WRITING = "BEGIN", "BEGIN IMMEDIATE"
BESIDE = ("", "-wal", "-shm")
STRANGE = "it is not a memory file, or an older OpenKoi made it"
SETTINGS = ("PRAGMA synchronous = NORMAL", "PRAGMA cell_size_check = ON")


@dataclass(slots=True)
class SQLiteMemoryFile:
    """A file, and for how many seconds to wait for it. ``looked_at`` is the file that was found to be sound."""

    path: Path
    seconds: float
    looked_at: int = field(default=0)

    def read(self, work: Work[T], patience: LockTimeout) -> T | None:
        """Look something up, beside others who read or write; None when there is no file that can be read."""
        with suppress(StoreError):
            return self.attempt(work, patience, READING) if self.path.exists() else None
        return None

    def write(self, work: Work[T], patience: LockTimeout) -> T:
        """Change something, in a new file if there is none that can be used."""
        with suppress(StoreError):
            return self.attempt(work, patience, WRITING)
        with suppress(StoreError):
            return self.attempt(work, patience, WRITING)
        raise MemoryUnusableError(self.path, "a new file cannot be used either")

    def attempt(self, work: Work[T], patience: LockTimeout, begin: str) -> T:
        """Open, work, close, and again while the file is busy; raises Sick after a damaged one made way."""
        while True:
            inode = self.inode
            try:
                with diagnosing():
                    return self.at_once(work, begin)
            except StoreError as sick:
                if sick.ailment is StoreFailureKind.BUSY and patience.lasts():
                    continue
                self.treat(sick, inode)
                raise

    def at_once(self, work: Work[T], begin: str) -> T:
        """Do the work in one transaction: all of it or nothing."""
        if begin != READING:
            self.make()
        for path in self.all(self.path):
            look_at(path)
        with closing(open_connection(self.path)) as connection:
            connection.execute(begin)
            self.look_at(connection)
            done = work(connection)
            connection.execute("COMMIT")
            return done

    def make(self) -> None:
        """A file with empty tables, where there is none: whoever sees it sees it whole."""
        if self.path.exists():
            return
        private_folder(self.path.parent)
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with lock_beside(self.path):
            if self.path.exists():
                return
            for left in (*self.all(self.path), *self.all(fresh)):
                left.unlink(missing_ok=True)
            try:
                os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                with closing(open_connection(fresh)) as connection:
                    lay_out(connection)
                fresh.replace(self.path)
            finally:
                for left in self.all(fresh):
                    left.unlink(missing_ok=True)

    def look_at(self, connection: sqlite3.Connection) -> None:
        """Raise Sick where the tables are not ours, or not as we left them."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            newer = version > VERSION
            raise StoreError(
                StoreFailureKind.NEWER if newer else StoreFailureKind.DAMAGED, version if newer else STRANGE
            )
        if self.looked_at != self.inode:
            check_words(connection)
            self.looked_at = self.inode

    @property
    def inode(self) -> int:
        """Which file it is: another after it made way."""
        return self.path.stat().st_ino if self.path.exists() else 0

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(path.stat().st_size for path in self.all(self.path) if path.exists())

    def treat(self, sick: StoreError, inode: int) -> None:
        """Make way for a new file where that helps; raise where it does not."""
        match sick.ailment:
            case StoreFailureKind.BUSY:
                raise MemoryBusyError(self.path, self.seconds)
            case StoreFailureKind.NEWER:
                raise MemoryNewerError(self.path, sick)
            case StoreFailureKind.OUTSIDE:
                raise MemoryUnusableError(self.path, sick)
        bad = self.path.with_name(f"{self.path.name}.bad-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
        if self.move(bad, inode):
            logging.getLogger("openkoi").warning(
                "The memory file %s cannot be used (%s) and is now %s; memory is built again from the run log.",
                self.path,
                sick,
                bad.name,
            )

    def make_way(self, fresh: "SQLiteMemoryFile | None" = None) -> Path | None:
        """Move the file aside, in the place of one that made way before, and a fresh one into its place.

        Return where it is; None when there was none.
        """
        old = self.path.with_name(f"{self.path.name}.old")
        with lock_beside(self.path):
            there = self.path.exists()
            if there:
                self.put(old)
            if fresh and fresh.path.exists():
                fresh.put(self.path)
        return old if there else None

    def move(self, to: Path, inode: int) -> bool:
        """Move this very file; whether it was still there."""
        with lock_beside(self.path):
            if not inode or self.inode != inode:
                return False
            self.put(to)
        return True

    def put(self, to: Path) -> None:
        """Put the file and what belongs to it elsewhere. Whoever does so has the lock."""
        for source, target in reversed([*zip(self.all(self.path), self.all(to), strict=True)]):
            clear(target)
            if source.exists():
                source.replace(target)

    def discard(self) -> None:
        """Delete the file and all that belongs to it."""
        for path in (*self.all(self.path), self.path.with_name(f".{self.path.name}.lock")):
            clear(path)

    def all(self, path: Path) -> list[Path]:
        """A file and what SQLite keeps beside it."""
        return [path.with_name(path.name + ending) for ending in BESIDE]


def look_at(path: Path) -> None:
    """Raise StoreError unless it is a regular file: opening a pipe would block."""
    if path.exists() and not path.is_file():
        raise StoreError(StoreFailureKind.DAMAGED, f"{path.name} is no file")


def clear(path: Path) -> None:
    """Delete a file that is in the way; a folder, which is none of ours, gets another name."""
    if path.is_dir():
        path.replace(path.with_name(f"{path.name}-{token_hex(4)}"))
    else:
        path.unlink(missing_ok=True)


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


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables, and say which file this is from now on."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(WRITING)
    for statement in filter(str.strip, TABLES.split(";\n")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("INSERT INTO state VALUES ('born', ?)", [token_hex(8)])
    seal_words(connection)
    connection.execute("COMMIT")


def born(connection: sqlite3.Connection) -> str:
    """Which file this is: what was known of one that made way is not known of the next."""
    found = connection.execute("SELECT value FROM state WHERE name = 'born'").fetchone()
    return str(found[0]) if found else ""
