"""The memory file: opened for one piece of work, by one process at a time, and closed again.

A damaged file is moved aside, one of another version is dropped; a new one is made by whoever next writes.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar

from .lock import PAUSE, held
from .schema import equip
from .trouble import Ailment, MemoryBusy, MemoryUnusable, Sick, diagnosing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
Settings = dict[str, str | bool | int | float | list[str]]
SETTINGS: Settings = {
    "threads": 1,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}
OPTIONS = "TYPE duckdb, STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE 8192"
WHEN_NEW = ", BLOCK_SIZE 16384"


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file, and for how many seconds to wait for it."""

    path: Path
    seconds: float

    @property
    def log(self) -> Path:
        """Where DuckDB writes what it has not yet put into the file."""
        return self.path.with_name(f"{self.path.name}.wal")

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(part.stat().st_size for part in (self.path, self.log) if part.exists())

    def read(self, work: Callable[["DuckDBPyConnection"], T]) -> T | None:
        """Look something up; None when there is no file, or none that can be read."""
        if not self.path.exists():
            return None
        with self.alone():
            return self.attempt(work) if self.path.exists() else None

    def write(self, work: Callable[["DuckDBPyConnection"], T]) -> T:
        """Change something, in a new file if there is none that can be used."""
        with self.alone():
            for _ in range(2):
                done = self.attempt(work)
                if done is not None:
                    return done
        raise MemoryUnusable(self.path, "a new file cannot be read either")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes out."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with held(self.path.with_name(f"{self.path.name}.lock"), self.seconds) as mine:
                if not mine:
                    raise MemoryBusy(self.path, self.seconds)
                yield
        except OSError as error:
            raise MemoryUnusable(self.path, error) from error

    def attempt(self, work: Callable[["DuckDBPyConnection"], T]) -> T | None:
        """Open, work, close. None when the file had to make way."""
        try:
            connection = self.opened()
            try:
                with diagnosing():
                    return work(connection)
            finally:
                connection.close()
        except Sick as sick:
            self.treat(sick)
        return None

    def opened(self) -> "DuckDBPyConnection":
        """Open the file, and wait for a program that does not know of the lock."""
        deadline = monotonic() + self.seconds
        while True:
            try:
                return self.connected()
            except Sick as sick:
                if sick.ailment is not Ailment.BUSY or monotonic() >= deadline:
                    raise
            sleep(PAUSE)

    def connected(self) -> "DuckDBPyConnection":
        """Open the file in a way that older versions of DuckDB can read."""
        import duckdb

        new = not self.path.exists()
        with diagnosing():
            connection = duckdb.connect(config=SETTINGS | {"temp_directory": f"{self.path}.tmp"})
            try:
                connection.execute(f"ATTACH {quoted(self.path)} AS koi ({OPTIONS}{WHEN_NEW if new else ''})")
                connection.execute("USE koi")
                equip(connection)
            except BaseException:
                connection.close()
                raise
        if new:
            self.path.chmod(0o600)
        return connection

    def treat(self, sick: Sick) -> None:
        """Make way for a new file where that helps; raise where it does not."""
        match sick.ailment:
            case Ailment.BUSY:
                raise MemoryBusy(self.path, self.seconds)
            case Ailment.OUTSIDE:
                raise MemoryUnusable(self.path, sick)
            case Ailment.OUTDATED:
                self.drop()
            case Ailment.DAMAGED:
                self.set_aside(sick)

    def drop(self) -> None:
        """Remove a file of another version; the log can tell it all again."""
        self.log.unlink(missing_ok=True)
        self.path.unlink()

    def set_aside(self, sick: Sick) -> None:
        """Move a damaged file out of the way, and say so."""
        bad = self.path.with_name(f"{self.path.name}.bad-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
        if self.log.exists():
            self.log.rename(bad.with_name(f"{bad.name}.wal"))
        self.path.rename(bad)
        logging.getLogger("openkoi").warning(
            "The memory file %s could not be read (%s). It was moved to %s; memory is built again from the run log.",
            self.path,
            str(sick).splitlines()[0],
            bad.name,
        )


def quoted(path: Path) -> str:
    """Write a path as SQL does."""
    return "'" + str(path).replace("'", "''") + "'"
