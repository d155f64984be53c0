"""Open the assistant's database: incoming and outgoing posts, paired users, and pending questions."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import time

from openkoi_hookspecs import KoiError

FILE = "assistant.sqlite"
DAMAGED = (
    "The assistant's database {file} cannot be opened: {error}. If it is damaged, move it elsewhere and "
    "pair your accounts again."
)
UNWRITABLE = (
    "The assistant's database {file} could not be written: {error}. Free disk space, or check the permissions of the "
    "folder; OpenKoi will try again, and no message is lost."
)
BUSY_SECONDS = 10.0  # a terminal that pairs a user waits for the daemon
RETRY_SECONDS = 2.0  # until what could not be written is written again (estimate)
CACHE_KIB = 256  # its default of 2 MiB is as much as an app may take, and each query reads a few pages (estimate)
KEPT_ROWS = 1_000  # of each table, however old: a clock that is ahead deletes no more than the rest (estimate)
SCHEMA = """
CREATE TABLE IF NOT EXISTS cursors (app TEXT PRIMARY KEY, cursor TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS requests (
    seq INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL, post TEXT NOT NULL, run TEXT NOT NULL DEFAULT '', answer TEXT NOT NULL DEFAULT '',
    at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS requests_state ON requests (state, seq);
CREATE INDEX IF NOT EXISTS requests_conversation ON requests (conversation, seq);
CREATE TABLE IF NOT EXISTS outbox (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, app TEXT NOT NULL, channel TEXT NOT NULL, state TEXT NOT NULL,
    post TEXT NOT NULL, replaces TEXT NOT NULL DEFAULT '', sent_id TEXT NOT NULL DEFAULT '', at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS outbox_state ON outbox (state, app, channel, seq);
CREATE TABLE IF NOT EXISTS members (
    app TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, channel TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (app, user)
);
CREATE TABLE IF NOT EXISTS codes (
    digest TEXT PRIMARY KEY, app TEXT NOT NULL, role TEXT NOT NULL, expires REAL NOT NULL, tries INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, identity TEXT NOT NULL, conversation TEXT NOT NULL, token TEXT NOT NULL,
    code TEXT NOT NULL, key TEXT NOT NULL,
    choices TEXT NOT NULL, expires REAL NOT NULL, text TEXT NOT NULL, open INTEGER NOT NULL
);
"""


class UnwritableError(KoiError):
    """The disk cannot be written at the moment."""


def open_database(folder: Path) -> sqlite3.Connection:
    """Open the database in a private folder; every transaction is on disk when it ends."""
    file = folder / FILE
    try:
        connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
        file.chmod(0o600)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.executescript(SCHEMA)
    except (sqlite3.Error, OSError) as error:
        raise KoiError(DAMAGED.format(file=file, error=error)) from None
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make all changes in the block durable together, or none; a nested block belongs to the outer one.

    Raises UnwritableError if the disk cannot be written.
    """
    if connection.in_transaction:
        yield
        return
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:  # a full disk has ended it
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.OperationalError):
            raise UnwritableError(UNWRITABLE.format(file=file_of(connection), error=error)) from None
        raise


def write(connection: sqlite3.Connection, query: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
    """Make one change durable; raise UnwritableError if the disk cannot be written."""
    with transaction(connection):
        return connection.execute(query, values)


async def write_once_possible(
    connection: sqlite3.Connection,
    change: Callable[[], None],
    warn: Callable[[str], None],
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Make changes that are stored nowhere else, as soon as the disk can be written, unless the process ends first."""
    while True:
        try:
            with transaction(connection):
                return change()
        except UnwritableError as error:
            warn(str(error))
        if is_over():
            return None
        await asyncio.sleep(RETRY_SECONDS)


def file_of(connection: sqlite3.Connection) -> str:
    """Return the file of a database."""
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


def delete_old(connection: sqlite3.Connection, table: str, states: Sequence[str], seconds: float) -> None:
    """Delete the rows in these states that are old, both by the clock and by the number of later rows."""
    write(
        connection,
        f"DELETE FROM {table} WHERE state IN ({', '.join('?' * len(states))}) "
        f"AND at < (SELECT MIN(?, MAX(at)) FROM {table}) - ? AND seq <= (SELECT MAX(seq) FROM {table}) - ?",
        (*states, time(), seconds, KEPT_ROWS),
    )
