"""Checksums of rows and of the whole index of words, so that a changed byte is detected before it is used."""

from collections.abc import Iterable, Iterator
from sqlite3 import Connection
from zlib import crc32

from openkoi_search.memory_file_errors import StoreError, StoreFailureKind

SHADOWS = (
    "SELECT block FROM words_data ORDER BY id",
    "SELECT sz FROM words_docsize ORDER BY id",
    "SELECT term FROM words_idx ORDER BY segid, term",
)
FLUSH = ("SAVEPOINT flushed", "RELEASE flushed")
STRAYS = "SELECT (SELECT count(*) FROM documents) = (SELECT count(*) FROM words_docsize)"
DOCUMENT = "length, scope, kind, id, learned, moment, run, keys, memo, seal"
COLUMNS = f"doc, {DOCUMENT}".split(", ")[:-1]
LINES = f"SELECT CAST({' || char(31) || '.join(COLUMNS)} AS BLOB), seal FROM documents"
DAMAGE_MESSAGE = "its content was changed by another program"


def row_checksum(*values: object) -> int:
    """Return the checksum of a row's values."""
    return crc32("\x1f".join(map(str, values)).encode("utf-8", "replace"))


def check_rows(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    """Yield rows without their final checksums; raise StoreError for a changed row."""
    for *values, seal in list(rows):
        if seal != row_checksum(*values):
            raise StoreError(StoreFailureKind.DAMAGED, DAMAGE_MESSAGE)
        yield tuple(values)


def store_words_checksum(connection: Connection) -> None:
    """Save the checksum of the current index of words."""
    for statement in FLUSH:
        connection.execute(statement)
    seal = words_checksum(connection)
    connection.execute("INSERT OR REPLACE INTO state VALUES ('words', ?)", [str(seal)])


def check_words(connection: Connection) -> None:
    """Raise StoreError if the file is not in the state in which it was closed."""
    results = connection.execute("PRAGMA quick_check(1)").fetchall()
    if results != [("ok",)]:
        raise StoreError(StoreFailureKind.DAMAGED, results[0][0])
    kept = connection.execute("SELECT value FROM state WHERE name = 'words'").fetchall()
    if kept != [(str(words_checksum(connection)),)] or connection.execute(STRAYS).fetchall() != [(1,)]:
        raise StoreError(StoreFailureKind.DAMAGED, DAMAGE_MESSAGE)
    check_lines(connection)


def check_lines(connection: Connection) -> None:
    """Raise StoreError if a document was changed."""
    if any(crc32(line) != seal for line, seal in connection.execute(LINES)):
        raise StoreError(StoreFailureKind.DAMAGED, DAMAGE_MESSAGE)


def words_checksum(connection: Connection) -> int:
    """Return the checksum of the word index."""
    seal = 0
    for statement in SHADOWS:
        for (block,) in connection.execute(statement):
            seal = crc32(block if isinstance(block, bytes) else str(block).encode(), seal)
    return seal
