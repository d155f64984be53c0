"""The memory plugin in SQLite: what the kernel calls, in threads of its own, so that a run never waits for the disk."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_hookspecs import DataDir, Hit, Query, Record
from openkoi_search.file_memory import FallbackView, FileMemory
from openkoi_search.lock_timeout import LockTimeout

if TYPE_CHECKING:
    from sqlite3 import Connection

    from .file import SQLiteMemoryFile
    from .tables import SQLiteTables

BATCH_SIZE = 2_000


class SQLite(FileMemory["Connection"]):
    """Configured by ``[memory.sqlite]``: the path of the file, and how many ``seconds`` to wait for it."""

    batch_size = BATCH_SIZE

    def __init__(self, *, path: Annotated[Path, DataDir("memory.sqlite")], seconds: float = 1.0) -> None:
        self.path, self.seconds = path, seconds
        self.opened: SQLiteMemoryFile | None = None

    @property
    def file(self) -> "SQLiteMemoryFile":
        """The file; SQLite is imported on first use."""
        from .file import SQLiteMemoryFile

        self.opened = self.opened or SQLiteMemoryFile(self.path, self.seconds)
        return self.opened

    async def search(self, query: Query) -> Sequence[Hit]:
        """Find entries that match the query, best first; also while another process writes."""
        return await self.run_in_thread(partial(self.answer, clean_query(query)))

    async def offsets(self) -> Mapping[str, int]:
        """Return how far each log segment was read; empty when the file is missing or was moved aside.

        While the file cannot be opened a view in memory replaces it and needs all records.
        """
        position = await self.run_in_thread(partial(self.read_or_fall_back, read_offsets))
        self.file_id, segments = position or ("", {})
        return segments

    async def health(self) -> Mapping[str, str]:
        """Return the file, its size, and its number of entries."""
        from openkoi_search.indexed_memory import format_size

        entries = await self.run_in_thread(partial(self.file.read, count_items)) or 0
        return {"file": str(self.path), "size": format_size(self.file.size), "entries": f"{entries:,}"}

    def create_shadow(self) -> "SQLite":
        """Return an empty memory in a file next to this one's."""
        fresh = SQLite(path=self.path.with_name(f"{self.path.name}.new"), seconds=self.seconds)
        fresh.discard()
        return fresh

    def make_fallback(self) -> "FallbackView[Connection]":
        """Return an empty view in memory."""
        import sqlite3

        from .file import create_tables, transaction

        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        create_tables(connection)
        return FallbackView(self.path, connection, sqlite3.Error, transaction)

    def open_tables(self, connection: "Connection", _: object) -> "SQLiteTables":
        """Return the tables."""
        from .tables import SQLiteTables

        return SQLiteTables(connection)

    def take_in(self, records: Sequence[Record], timeout: LockTimeout) -> None:
        """Ingest a batch; if the file was replaced since the offsets were read, they stay."""
        from openkoi_search.indexed_memory import warn_skipped

        from .file import read_file_id
        from .ingest import ingest_batch, prepare_batch

        def work(connection: "Connection") -> str:
            now = read_file_id(connection)
            ingest_batch(connection, batch, moving=self.file_id in ("", now))
            return now

        batch = prepare_batch(records)
        now = (self.fallback or self.file).write(work, timeout)
        self.file_id = self.file_id or now
        warn_skipped(batch.skipped)


def clean_query(query: Query) -> Query:
    """Return a query that SQLite can store."""
    from .stored_records import clean

    return replace(query, text=clean(query.text), project=clean(query.project), kinds=tuple(map(clean, query.kinds)))


def read_offsets(connection: "Connection") -> tuple[str, dict[str, int]]:
    """Return the file's id, and how far each segment was read into it."""
    from .checksums import check_rows
    from .file import read_file_id

    rows = check_rows(connection.execute("SELECT name, seen, seal FROM segments"))
    return read_file_id(connection), {str(name): int(str(seen)) for name, seen in rows}


def count_items(connection: "Connection") -> int:
    """Return the number of items that can be found."""
    found: int = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    return found
