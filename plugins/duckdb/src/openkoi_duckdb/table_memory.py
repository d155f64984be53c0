"""The tables of the memory file: filled from the log, and searched if an embedder adds meaning to words."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import Embedder, Hit, Query, Record, ShadowMemory
from openkoi_search.file_memory import FallbackView, FileMemory
from openkoi_search.memory_file_errors import MemoryBusyError, MemoryUnusableError

from .file import MemoryFile
from .lock import LockTimeout
from .read_position import Position, load_position, save_position
from .sanitize import storable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from openkoi_search.vector_store import VectorQuery

    from .embeddings import Embeddings
    from .tables import DuckDBTables

BATCH_SIZE = 5_000
ENTRIES = """
SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM learnings)
     + (SELECT count(*) FROM memory_chunks WHERE source <> 'task')
"""


class TableMemory(FileMemory["DuckDBPyConnection"]):
    """The tables in a file; if another process uses it, wait for up to ``seconds``.

    With an ``embedder``, search compares meaning and words: ``vectors`` is its weight, by default a measured optimum.
    """

    batch_size = BATCH_SIZE

    def __init__(
        self, *, path: Path, seconds: float = 1.0, embedder: Embedder | None = None, vectors: float | None = None
    ) -> None:
        self.database = MemoryFile(path, seconds)
        self.embedder, self.vectors = embedder, vectors
        self.embeddings = make_embeddings(self.file, embedder, vectors)

    @property
    def file(self) -> MemoryFile:
        """The file."""
        return self.database

    async def ingest(self, records: Sequence[Record]) -> None:
        """Ingest records; raise MemoryBusyError when another process uses the file for too long."""
        await super().ingest(records)
        if self.embeddings and not self.fallback:
            await self.embeddings.catch_up()

    async def search(self, query: Query) -> Sequence[Hit]:
        """Find entries that match the query, best first."""
        asked = storable(query)
        meant = await self.embeddings.embed_query(asked.text) if self.embeddings and not self.fallback else None
        return await self.run_in_thread(partial(self.answer, asked, meant=meant))

    async def offsets(self) -> Mapping[str, int]:
        """Return how far each log segment was read; empty when the file is missing or was moved aside.

        The file is opened only if it has changed since its position was saved.

        While the file cannot be opened, a fallback view in memory replaces it and needs all records.
        """
        report = self.load_saved_position() or await self.run_in_thread(partial(self.read_or_fall_back, read_position))
        self.file_id = report.born if report else ""
        return report.segments if report else {}

    def load_saved_position(self) -> Position | None:
        """Return the position saved next to the file; None if it may be outdated, or the file is in use."""
        if self.fallback or not self.file.path.exists():
            return None
        try:
            with self.file.lock(LockTimeout(0.0), shared=True):
                return load_position(self.file)
        except (MemoryBusyError, MemoryUnusableError):
            return None

    async def health(self) -> Mapping[str, str]:
        """Return the file, its size, the number of entries, the embedder, and how many entries have no vector."""
        saved = None if self.embeddings else self.load_saved_position()
        known = (saved.entries, 0) if saved else await self.run_in_thread(partial(self.file.read, self.counts))
        entries, bare = known or (0, 0)
        from openkoi_search.indexed_memory import format_size

        report = {"file": str(self.file.path), "size": format_size(self.file.size), "entries": f"{entries:,}"}
        report["embedder"] = self.embeddings.embedder.id if self.embeddings else "none; search uses words only"
        if self.embeddings and bare:
            report[f"without vectors from {self.embeddings.embedder.id}"] = (
                f"{bare:,} (run `openkoi memory rebuild` to create them)"
            )
        return report

    def counts(self, connection: "DuckDBPyConnection") -> tuple[int, int]:
        """Count the entries, and those without a vector."""
        return count_items(connection), self.embeddings.count_missing(connection) if self.embeddings else 0

    def create_shadow(self) -> "TableMemory":
        """Return an empty memory in a file next to this one's."""
        place = self.file.beside("new")
        fresh = TableMemory(path=place, seconds=self.file.seconds, embedder=self.embedder, vectors=self.vectors)
        fresh.discard()
        return fresh

    async def replace_with(self, shadow: ShadowMemory) -> Path | None:
        """Replace this file by that of a shadow; return where the old file is, if there was one."""
        if isinstance(shadow, TableMemory) and shadow.embeddings:
            await shadow.embeddings.complete()
        return await super().replace_with(shadow)

    def make_fallback(self) -> "FallbackView[DuckDBPyConnection]":
        """Return an empty view in memory; what does not fit is stored next to the file."""
        from .engine import create_connection, quote_path
        from .layout import create_tables
        from .native import duckdb

        connection = create_connection()
        connection.execute(f"SET temp_directory = {quote_path(self.file.beside('tmp'))}")
        create_tables(connection)
        return FallbackView(self.file.path, connection, duckdb.Error)

    def open_tables(self, connection: "DuckDBPyConnection", meant: "VectorQuery | None") -> "DuckDBTables":
        """Return the tables; if there is an embedder, warn about entries without a vector."""
        from .tables import DuckDBTables

        if self.embeddings and meant:
            self.embeddings.warn_missing(connection)
        return DuckDBTables(connection)

    def take_in(self, records: Sequence[Record], timeout: LockTimeout) -> None:
        """Ingest a batch; prepare what needs no file before opening it.

        If the file was replaced since the offsets were read, they stay, because earlier records are missing in it.
        """
        from openkoi_search.indexed_memory import warn_skipped
        from openkoi_search.words import stem

        from .layout import creation_time
        from .reject_records import ingest_valid, prepare_batch

        def work(connection: "DuckDBPyConnection") -> tuple[Position, list[str]]:
            misfits = ingest_valid(connection, batch, moving=self.file_id in ("", creation_time(connection)))
            return read_position(connection), misfits

        stem("loaded")
        batch, unready = prepare_batch(records)
        if self.fallback:
            now, misfits = self.fallback.write(work, timeout)
        else:
            now, misfits = self.file.write(work, timeout, lambda done: save_position(self.file, done[0]))
        self.file_id = self.file_id or now.born
        warn_skipped(unready + misfits)


def make_embeddings(file: MemoryFile, embedder: Embedder | None, weight: float | None) -> "Embeddings | None":
    """Return the configured embedder's vectors; None if there is no embedder, or its weight is 0."""
    if embedder is None or weight == 0:
        return None
    from .embeddings import Embeddings, default_weight

    return Embeddings(file, embedder, default_weight(embedder) if weight is None else weight)


def read_position(connection: "DuckDBPyConnection") -> Position:
    """Return the identity of the file, how far each segment was read into it, and the number of items."""
    from .layout import creation_time

    segments = dict(connection.execute("FROM segments").fetchall())
    return Position(creation_time(connection), segments, count_items(connection))


def count_items(connection: "DuckDBPyConnection") -> int:
    """Return the number of items in memory; a task and its text count as one."""
    found: int = connection.execute(ENTRIES).fetchall()[0][0]
    return found
