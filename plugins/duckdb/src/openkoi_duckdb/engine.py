"""Open DuckDB without a file, and keep working connections for reuse, because opening takes long."""

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
MAX_IDLE = 2
IDLE: "list[DuckDBPyConnection]" = []
LOCK = Lock()


@contextmanager
def open_engine(aside: Path) -> Iterator["DuckDBPyConnection"]:
    """Yield a connection, which is closed on errors; ``aside`` is the folder for data that does not fit in memory."""
    connection = take_idle() or create_connection()
    try:
        connection.execute(f"SET temp_directory = {quote_path(aside)}")
        yield connection
    except BaseException:
        connection.close()
        raise
    return_connection(connection)


def take_idle() -> "DuckDBPyConnection | None":
    """Return an idle connection, if there is one."""
    with LOCK:
        return IDLE.pop() if IDLE else None


def create_connection() -> "DuckDBPyConnection":
    """Return a new connection."""
    from .native import duckdb

    return duckdb.connect(config=SETTINGS)


def return_connection(connection: "DuckDBPyConnection") -> None:
    """Keep a working connection for reuse."""
    from .native import duckdb

    with suppress(duckdb.Error), LOCK:
        connection.execute("SELECT 1")
        if len(IDLE) < MAX_IDLE:
            IDLE.append(connection)
            return
    connection.close()


@contextmanager
def detach_file(connection: "DuckDBPyConnection") -> Iterator[None]:
    """Run the block, then always detach the file, so that others can open it."""
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
