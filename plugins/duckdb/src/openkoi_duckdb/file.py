"""The memory file: opened for one piece of work, by one process that writes or by many that read, and closed again.

A damaged file is moved aside; a new one is made by whoever next writes. One of an older version is brought up to date
by whoever first has it alone, one of a newer version is left alone.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .engine import engine, letting_go, quoted
from .lock import Patience, held
from .migrations import MIGRATIONS, Plan, migrate, newest, steps, version_of
from .place import Place
from .trouble import OUTSIDE, Ailment, MemoryBusy, MemoryNewer, MemoryUnusable, Sick, diagnosing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
READING = "TYPE duckdb, READ_ONLY"
WRITING = "TYPE duckdb, STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE 8192"
WHEN_NEW = ", BLOCK_SIZE 16384"
QUICK = "PRAGMA disable_checkpoint_on_shutdown"
LOG_KEPT = 262_144
DAMAGE = ("cannot initialize database with storage version", "corrupt database file", "failure while replaying wal")
LEFT_ALONE = (Ailment.BUSY, Ailment.NEWER)


class Access(Enum):
    """Who else may have the file meanwhile, and whether it may be made."""

    BESIDE_OTHERS = auto()
    ALONE = auto()
    ALONE_OR_NEW = auto()


@dataclass(frozen=True, slots=True)
class MemoryFile(Place):
    """A file, for how many seconds to wait for it, and the way to the newest version; without one it stays as it is."""

    seconds: float
    plan: Plan | None = MIGRATIONS

    def read(self, work: Callable[["DuckDBPyConnection"], T], patience: Patience | None = None) -> T | None:
        """Look something up, beside others who do; None when there is no file, or none that can be read.

        A file that is not well is looked at again alone, so that it can make way.
        """
        patience = patience or Patience(self.seconds)
        for access in (Access.BESIDE_OTHERS, Access.ALONE):
            found = self.attempt(work, access, patience) if self.path.exists() else None
            if found is not None:
                return found
        return None

    def write(self, work: Callable[["DuckDBPyConnection"], T], patience: Patience | None = None) -> T:
        """Change something, in a new file if there is none that can be used."""
        patience = patience or Patience(self.seconds)
        for _ in range(2):
            done = self.attempt(work, Access.ALONE_OR_NEW, patience)
            if done is not None:
                return done
        raise MemoryUnusable(self.path, "a new file cannot be read either")

    def attempt(self, work: Callable[["DuckDBPyConnection"], T], access: Access, patience: Patience) -> T | None:
        """Open, work, close. None when there is no file, when it had to make way, or has to and we are not alone."""
        beside = access is Access.BESIDE_OTHERS
        with self.engine() as connection, self.locked(patience, shared=beside), letting_go(connection):
            if access is not Access.ALONE_OR_NEW and not self.path.exists():
                return None
            try:
                with diagnosing():
                    self.open(connection, patience, READING if beside else WRITING)
                    done = work(connection)
                    if not beside:
                        self.settle(connection, patience)
                    return done
            except Sick as sick:
                connection.close()
                if sick.ailment in LEFT_ALONE or not beside:
                    self.treat(looked_at_again(sick))
        return None

    @contextmanager
    def engine(self) -> Iterator["DuckDBPyConnection"]:
        """DuckDB with no file open. It is made before the lock is asked for: that takes longer than most work."""
        from .native import duckdb

        try:
            with engine(self.beside("tmp")) as connection:
                yield connection
        except duckdb.Error as error:
            raise MemoryUnusable(self.path, error) from error

    @contextmanager
    def locked(self, patience: Patience, *, shared: bool) -> Iterator[None]:
        """Keep other processes out, or only those who write."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            refuse_pipe(self.beside("lock"))
            with held(self.path.with_name(f"{self.path.name}.lock"), patience, shared=shared) as mine:
                if not mine:
                    raise MemoryBusy(self.path, self.seconds)
                yield
        except OSError as error:
            raise MemoryUnusable(self.path, error) from error

    def open(self, connection: "DuckDBPyConnection", patience: Patience, options: str) -> None:
        """Open the file, and wait for a program that does not know of the lock."""
        new = not self.path.exists()
        if new:
            self.log.unlink(missing_ok=True)
        for path in (self.path, self.log):
            look_at(path)
        while not self.attached(connection, options + WHEN_NEW * new):
            if not patience.lasts():
                raise Sick(Ailment.BUSY, "another program has it open")
        connection.execute("USE koi")
        if new:
            self.path.chmod(0o600)
        self.bring_up(connection, may=options is WRITING)

    def bring_up(self, connection: "DuckDBPyConnection", *, may: bool) -> None:
        """Take the steps that are missing, if we have the file alone and may."""
        if self.plan is None:
            return
        version, wanted = version_of(connection), newest(self.plan)
        if version > wanted:
            raise Sick(Ailment.NEWER, version)
        if version < wanted and not may:
            raise Sick(Ailment.OUTDATED, version)
        migrate(connection, steps(self.plan, version, wanted), lambda left: self.keep(connection, left))

    def keep(self, connection: "DuckDBPyConnection", version: int) -> None:
        """Copy the file as it stands, which is of this version; it is closed meanwhile."""
        for statement in ("CHECKPOINT koi", "USE memory", "DETACH koi"):
            connection.execute(statement)
        self.copy(self.beside(f"bak.v{version}"))
        connection.execute(f"ATTACH {quoted(self.path)} AS koi ({WRITING})")
        connection.execute("USE koi")

    def settle(self, connection: "DuckDBPyConnection", patience: Patience) -> None:
        """Put into the file what DuckDB has written beside it.

        Who had to wait leaves that to a later one, because others may wait too and it takes as long as all the rest.
        """
        if patience.waited and self.log_size < LOG_KEPT:
            connection.execute(QUICK)
            connection.close()
        else:
            connection.execute("CHECKPOINT koi")

    def attached(self, connection: "DuckDBPyConnection", options: str) -> bool:
        """Open the file in a way that older versions of DuckDB can read; False when another program has it."""
        try:
            with diagnosing():
                connection.execute(f"ATTACH {quoted(self.path)} AS koi ({options})")
        except Sick as sick:
            if sick.ailment is not Ailment.BUSY:
                raise
            return False
        return True

    def treat(self, sick: Sick) -> None:
        """Make way for a new file where that helps; raise where it does not."""
        match sick.ailment:
            case Ailment.BUSY:
                raise MemoryBusy(self.path, self.seconds)
            case Ailment.OUTSIDE:
                raise MemoryUnusable(self.path, sick)
            case Ailment.NEWER:
                raise MemoryNewer(self.path, str(sick), newest(self.plan or MIGRATIONS))
            case _:
                self.set_aside(sick)

    def make_way(self, fresh: Place | None = None) -> Path | None:
        """Move the file aside, in the place of one that made way before, and a fresh one into its place.

        Return where it is; None when there was none.
        """
        old = self.beside("old")
        with self.locked(Patience(self.seconds), shared=False):
            there = self.path.exists()
            if there:
                self.move(old)
            if fresh and fresh.path.exists():
                fresh.move(self.path)
        return old if there else None


def looked_at_again(sick: Sick) -> Sick:
    """Tell by its words a damage that DuckDB reports as if it were something else."""
    text = str(sick).lower()
    outside = any(word in text for word in OUTSIDE)
    return Sick(Ailment.DAMAGED, sick) if any(sign in text for sign in DAMAGE) and not outside else sick


def look_at(path: Path) -> None:
    """Raise Sick at what is there and is no file: to open a pipe would be to wait for ever."""
    if path.exists() and not path.is_file():
        raise Sick(Ailment.DAMAGED, f"{path.name} is no file")


def refuse_pipe(path: Path) -> None:
    """Raise OSError at a lock file that is none, for the same reason."""
    if path.is_fifo():
        raise OSError(f"{path.name} is a pipe: delete it")
