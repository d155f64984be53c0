"""DuckDB itself, with no file open. One that is well is kept for the next piece of work: making it takes longer."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Settings = dict[str, str | bool | int | float | list[str]]
SETTINGS: Settings = {
    "threads": 1,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}
KEPT = 2
IDLE: "list[DuckDBPyConnection]" = []
LOCK = Lock()


@contextmanager
def engine(aside: Path) -> Iterator["DuckDBPyConnection"]:
    """Lend DuckDB. Who closes it or leaves by an error has used it up; ``aside`` is for what has no room in memory."""
    connection = idle() or made()
    try:
        connection.execute(f"SET temp_directory = {quote_path(aside)}")
        yield connection
    except BaseException:
        connection.close()
        raise
    keep(connection)


def idle() -> "DuckDBPyConnection | None":
    """One that was kept, if there is one."""
    with LOCK:
        return IDLE.pop() if IDLE else None


def made() -> "DuckDBPyConnection":
    """A new one."""
    from .native import duckdb

    return duckdb.connect(config=SETTINGS)


def keep(connection: "DuckDBPyConnection") -> None:
    """Keep one that is well; it is not when it was closed."""
    from .native import duckdb

    with suppress(duckdb.Error), LOCK:
        connection.execute("SELECT 1")
        if len(IDLE) < KEPT:
            IDLE.append(connection)
            return
    connection.close()


@contextmanager
def letting_go(connection: "DuckDBPyConnection") -> Iterator[None]:
    """Close the file that is open within, whatever happens, so that others may have it."""
    from .native import duckdb

    try:
        yield
        with suppress(duckdb.ConnectionException):
            connection.execute("USE memory")
            connection.execute("DETACH DATABASE IF EXISTS koi")
    except BaseException:
        connection.close()
        raise


def quote_path(path: Path) -> str:
    """Return a path as an SQL literal."""
    return "'" + str(path).replace("'", "''") + "'"
