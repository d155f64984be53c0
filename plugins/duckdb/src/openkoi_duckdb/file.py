"""Open the memory file for one piece of work, by one writer or many readers, and close it again.

A damaged file or one of an older version is moved aside, and the next writer makes a new one, which is built from the
run log. A file of a newer version is left alone.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeVar

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.memory_file_errors import (
    MemoryBusyError,
    MemoryUnusableError,
    StoreError,
    StoreFailureKind,
    raise_unless_file,
)

from .database_file import DatabaseFile
from .engine import detach_file, open_engine, quote_path
from .layout import create_tables, read_version
from .lock import LockTimeout, hold_lock
from .schema import VERSION
from .store_errors import OUTSIDE_MESSAGES, translate_errors

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
READ_OPTIONS = "TYPE duckdb, READ_ONLY"
WRITE_OPTIONS = "TYPE duckdb, STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE 8192"
NEW_FILE_OPTIONS = ", BLOCK_SIZE 16384"
SKIP_CHECKPOINT = "PRAGMA disable_checkpoint_on_shutdown"
MAX_LOG_BYTES = 262_144
DAMAGE_MESSAGES = (
    "cannot initialize database with storage version",
    "corrupt database file",
    "failure while replaying wal",
)
UNTOUCHED_KINDS = (StoreFailureKind.BUSY, StoreFailureKind.NEWER)


class Access(Enum):
    """How a file is opened: who else may open it meanwhile, and whether it may be created."""

    BESIDE_OTHERS = auto()
    ALONE = auto()
    ALONE_OR_NEW = auto()


@dataclass(frozen=True, slots=True)
class MemoryFile(DatabaseFile):
    """A file, and for how many seconds to wait for it."""

    seconds: float

    def read(self, work: Callable[["DuckDBPyConnection"], T], timeout: LockTimeout | None = None) -> T | None:
        """Read concurrently with other readers; return None if there is no readable file.

        A damaged file is checked again exclusively, so that it can be moved aside.
        """
        timeout = timeout or LockTimeout(self.seconds)
        for access in (Access.BESIDE_OTHERS, Access.ALONE):
            found = self.attempt(work, access, timeout) if self.path.exists() else None
            if found is not None:
                return found
        return None

    def write(
        self,
        work: Callable[["DuckDBPyConnection"], T],
        timeout: LockTimeout | None = None,
        closed: Callable[[T], None] = lambda _: None,
    ) -> T:
        """Run a write; create a new file if there is none that can be used.

        ``closed`` is called with what the work returns, while the file is closed and still locked.
        """
        timeout = timeout or LockTimeout(self.seconds)
        for _ in range(2):
            done = self.attempt(work, Access.ALONE_OR_NEW, timeout, closed)
            if done is not None:
                return done
        raise MemoryUnusableError(self.path, "a new file cannot be read either")

    def attempt(
        self,
        work: Callable[["DuckDBPyConnection"], T],
        access: Access,
        timeout: LockTimeout,
        closed: Callable[[T], None] = lambda _: None,
    ) -> T | None:
        """Open, work, close; return None if there is no file, or it was or must be moved aside."""
        with self.engine() as connection, self.lock(timeout, shared=access is Access.BESIDE_OTHERS):
            if access is not Access.ALONE_OR_NEW and not self.path.exists():
                return None
            with detach_file(connection):
                done = self.run_work(connection, work, access, timeout)
            if done is not None:
                closed(done)
            return done

    def run_work(
        self,
        connection: "DuckDBPyConnection",
        work: Callable[["DuckDBPyConnection"], T],
        access: Access,
        timeout: LockTimeout,
    ) -> T | None:
        """Run work on the open file; return None if the file must be opened exclusively, or was moved aside."""
        beside = access is Access.BESIDE_OTHERS
        try:
            with translate_errors():
                self.open(connection, timeout, READ_OPTIONS if beside else WRITE_OPTIONS)
                done = work(connection)
                if not beside:
                    self.settle(connection, timeout)
                return done
        except StoreError as sick:
            connection.close()
            if sick.kind in UNTOUCHED_KINDS or not beside:
                self.handle_error(reclassify_error(sick))
        return None

    @contextmanager
    def engine(self) -> Iterator["DuckDBPyConnection"]:
        """DuckDB without an open file. It starts before the lock is taken, because that takes longer than most work."""
        from .native import duckdb

        try:
            with open_engine(self.beside("tmp")) as connection:
                yield connection
        except duckdb.Error as error:
            raise MemoryUnusableError(self.path, error) from error

    def require_no_pipe(self) -> None:
        """Raise MemoryUnusableError if the lock file is a pipe, since opening it would block."""
        if self.path.with_name(f"{self.path.name}.lock").is_fifo():
            raise MemoryUnusableError(self.path, f"{self.path.name}.lock is a pipe", "Delete the pipe")

    @contextmanager
    def lock(self, timeout: LockTimeout, *, shared: bool) -> Iterator[None]:
        """Lock out other processes, or only writers."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.require_no_pipe()
            with hold_lock(self.path.with_name(f"{self.path.name}.lock"), timeout, shared=shared) as mine:
                if not mine:
                    raise MemoryBusyError(self.path, self.seconds)
                yield
        except OSError as error:
            raise MemoryUnusableError(self.path, error) from error

    def open(self, connection: "DuckDBPyConnection", timeout: LockTimeout, options: str) -> None:
        """Open the file, and wait for a program that ignores the lock."""
        new = not self.path.exists()
        if new:
            self.log.unlink(missing_ok=True)
        for path in (self.path, self.log):
            raise_unless_file(path)
        while not self.attach(connection, options + NEW_FILE_OPTIONS * new):
            if not timeout.lasts():
                raise StoreError(StoreFailureKind.BUSY, "another program has it open")
        connection.execute("USE koi")
        if new:
            self.path.chmod(0o600)
        self.check_version(connection, may_write=options is WRITE_OPTIONS)

    def check_version(self, connection: "DuckDBPyConnection", *, may_write: bool) -> None:
        """Create the tables of an empty file; raise StoreError for a file of another version."""
        version = read_version(connection)
        if version > VERSION:
            raise StoreError(StoreFailureKind.NEWER, version)
        if version == 0 and may_write:
            create_tables(connection)
        elif version < VERSION:
            raise StoreError(StoreFailureKind.OUTDATED, version)

    def settle(self, connection: "DuckDBPyConnection", timeout: LockTimeout) -> None:
        """Merge DuckDB's write-ahead log, a separate file, into the file.

        A writer that had to wait leaves that to a later one, since it takes as long as the work and others may be
        waiting.
        """
        if timeout.has_waited and self.log_size < MAX_LOG_BYTES:
            connection.execute(SKIP_CHECKPOINT)
            connection.close()
        else:
            connection.execute("CHECKPOINT koi")

    def attach(self, connection: "DuckDBPyConnection", options: str) -> bool:
        """Attach the file in a format that older versions of DuckDB can read; return False when another program has
        it.
        """
        try:
            with translate_errors():
                connection.execute(f"ATTACH {quote_path(self.path)} AS koi ({options})")
        except StoreError as sick:
            if sick.kind is not StoreFailureKind.BUSY:
                raise
            return False
        return True

    def handle_error(self, sick: StoreError) -> None:
        """Move the file aside if a new one helps; otherwise raise."""
        self.raise_unless_replaceable(sick, VERSION)
        if sick.kind is StoreFailureKind.OUTDATED:
            self.retire(str(sick))
        else:
            self.set_aside(sick)

    def hold_alone(self) -> AbstractContextManager[None]:
        """Lock out other processes while the file is moved."""
        return self.lock(LockTimeout(self.seconds), shared=False)


def reclassify_error(sick: StoreError) -> StoreError:
    """Recognize, by the message, damage that DuckDB reports as a different kind of error."""
    text = str(sick).lower()
    outside = any(word in text for word in OUTSIDE_MESSAGES)
    return (
        StoreError(StoreFailureKind.DAMAGED, sick)
        if any(sign in text for sign in DAMAGE_MESSAGES) and not outside
        else sick
    )
