"""The tables of the memory file: filled from the log, and searched where an embedder adds meaning to words."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from openkoi_hookspecs import Embedder, Hit, KoiError, Query, Record, ShadowMemory
from openkoi_search.memory_file_errors import MemoryBusyError, MemoryNewerError, MemoryUnusableError

from .file import MemoryFile
from .lock import LockTimeout
from .read_position import Position, load_position, save_position
from .sanitize import storable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from openkoi_search.document_cache import DocumentCache
    from openkoi_search.hit_selection import FoundDocument
    from openkoi_search.vector_store import VectorQuery

    from .embedded_texts import EmbeddedTexts
    from .fallback_view import FallbackView

A = TypeVar("A")
T = TypeVar("T")
BATCH_SIZE = 5_000
ENTRIES = """
SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM learnings)
     + (SELECT count(*) FROM memory_chunks WHERE source <> 'task')
"""


class TableMemory:
    """The tables in a file, for which others are waited for so many ``seconds``.

    With an ``embedder`` meaning counts beside words: ``vectors`` is its share, by default what was found best.
    """

    def __init__(
        self, *, path: Path, seconds: float = 1.0, embedder: Embedder | None = None, vectors: float | None = None
    ) -> None:
        self.file = MemoryFile(path, seconds)
        self.embedder, self.vectors = embedder, vectors
        self.meaning = make_embedded_texts(self.file, embedder, vectors)
        self.holding: DocumentCache | None = None
        self.fallback: FallbackView | None = None
        self.file_id = ""

    @property
    def view(self) -> "MemoryFile | FallbackView":
        """What is read and written: the file, or the fallback view."""
        return self.fallback or self.file

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take records in; raises MemoryBusy when another process keeps the file for too long."""
        for batch in split_batches(records):
            await self.run_in_thread(self.take_in, batch)
        if self.meaning and not self.fallback:
            await self.meaning.catch_up()

    async def search(self, query: Query) -> Sequence[Hit]:
        """Find what answers the query, best first."""
        asked = storable(query)
        meant = await self.meaning.embed_query(asked.text) if self.meaning and not self.fallback else None
        return await self.run_in_thread(self.answer, (asked, meant))

    async def offsets(self) -> Mapping[str, int]:
        """Return how far each log segment was read: nothing when the file is missing or was moved aside.

        The file is opened only if it has changed since that was noted beside it.

        While the file cannot be opened, a fallback view in memory replaces it and needs all records.
        """
        report = self.load_saved_position() or await self.run_in_thread(self.read_or_fall_back, read_position)
        self.file_id = report.born if report else ""
        return report.segments if report else {}

    def load_saved_position(self) -> Position | None:
        """Return what is noted beside the file; None where that is not known to hold, or the file is in use."""
        if self.fallback or not self.file.path.exists():
            return None
        try:
            with self.file.lock(LockTimeout(0.0), shared=True):
                return load_position(self.file)
        except (MemoryBusyError, MemoryUnusableError):
            return None

    async def health(self) -> Mapping[str, str]:
        """Return the file, its size, its number of entries, the embedder, and how many entries have no vector of it."""
        saved = None if self.meaning else self.load_saved_position()
        known = (saved.entries, 0) if saved else await self.run_in_thread(self.file.read, self.counts)
        entries, bare = known or (0, 0)
        from openkoi_search.indexed_memory import format_size

        report = {"file": str(self.file.path), "size": format_size(self.file.size), "entries": f"{entries:,}"}
        report["embedder"] = self.meaning.embedder.id if self.meaning else "none, searching by words only"
        if self.meaning and bare:
            report[f"without vectors of {self.meaning.embedder.id}"] = (
                f"{bare:,} (run `openkoi memory rebuild` to create them)"
            )
        return report

    def counts(self, connection: "DuckDBPyConnection") -> tuple[int, int]:
        """Count what is remembered, and what of it has no vector."""
        return count_items(connection), self.meaning.count_missing(connection) if self.meaning else 0

    def create_shadow(self) -> "TableMemory":
        """Return an empty memory in a file beside this one's."""
        place = self.file.beside("new")
        fresh = TableMemory(path=place, seconds=self.file.seconds, embedder=self.embedder, vectors=self.vectors)
        fresh.discard()
        return fresh

    def discard(self) -> None:
        """Delete this memory and all that belongs to it."""
        self.file.discard()

    async def reset(self) -> Path | None:
        """Move the file aside; return where it is, if there was one."""
        self.file_id = ""
        return await asyncio.to_thread(self.file.make_way)

    async def replace_with(self, shadow: ShadowMemory) -> Path | None:
        """Put the file of a shadow in the place of this one; return where that is, if there was one."""
        if not isinstance(shadow, TableMemory):
            raise KoiError(f"{type(shadow).__name__} is not a shadow of this memory. Use create_shadow().")
        if shadow.meaning:
            await shadow.meaning.complete()
        self.file_id = ""
        return await asyncio.to_thread(self.file.make_way, shadow.file)

    async def migrate(self) -> Sequence[str]:
        """Replace a file of an older version by an empty one; say so."""
        from .layout import read_version

        if not self.file.path.exists():
            return []
        before = self.file.path.stat().st_ino
        version = await asyncio.to_thread(self.file.write, read_version)
        if before == self.file.path.stat().st_ino:
            return []
        return [f"Rebuilt memory from the run log (file version {version})."]

    async def run_in_thread(self, work: Callable[[A, LockTimeout], T], fact: A) -> T:
        """Work in a thread that stops waiting for the file once its caller does."""
        timeout = LockTimeout(self.file.seconds)
        try:
            return await asyncio.to_thread(work, fact, timeout)
        finally:
            timeout.given_up.set()

    def read_or_fall_back(self, work: "Callable[[DuckDBPyConnection], T]", timeout: LockTimeout) -> T | None:
        """Read from the file; do not wait for it again once a fallback view replaces it."""
        from .fallback_view import make_fallback

        try:
            found = self.file.read(work, LockTimeout(0.0) if self.fallback else timeout)
        except (MemoryBusyError, MemoryNewerError) as trouble:
            self.fallback = self.fallback or make_fallback(self.file.path, self.file.beside("tmp"), trouble)
            return self.fallback.read(work)
        self.fallback = None
        return found

    def answer(self, question: "tuple[Query, VectorQuery | None]", timeout: LockTimeout) -> Sequence[Hit]:
        """Answer a query, without the file where all is held. What needs no file is done before it is asked for."""
        from openkoi_search.document_cache import DocumentCache
        from openkoi_search.hit_selection import select_hits
        from openkoi_search.ranking import query_words, rank_documents

        from .tables import DuckDBTables

        def ask(there: "DuckDBPyConnection") -> "Sequence[FoundDocument]":
            tables = DuckDBTables(there)
            if self.meaning and meant:
                self.meaning.warn_missing(there)
            return rank_documents(
                tables if view is not self.file else holding.choose_source(stamps, tables), query, words, meant
            )

        (query, meant), view = question, self.view
        words = query_words(query)
        holding = self.holding = self.holding or DocumentCache(self.file.path, self.file.log)
        stamps = holding.stamps
        found = holding.rank_documents(query, words, meant) if view is self.file else None
        if found is None:
            found = view.read(ask, timeout)
        return select_hits(found or [], query)

    def take_in(self, records: Sequence[Record], timeout: LockTimeout) -> None:
        """Ingest a batch; prepare what needs no file before opening it.

        If the file was replaced since the offsets were read, they stay, because earlier records are missing in it.
        """
        from openkoi_search.words import stem

        from .layout import creation_time
        from .reject_records import RejectedRecord, ingest_valid, prepare_batch, warn_rejected

        def work(connection: "DuckDBPyConnection") -> tuple[Position, list[RejectedRecord]]:
            misfits = ingest_valid(connection, batch, moving=self.file_id in ("", creation_time(connection)))
            return read_position(connection), misfits

        stem("loaded")
        batch, unready = prepare_batch(records)
        if self.fallback:
            now, misfits = self.fallback.write(work, timeout)
        else:
            now, misfits = self.file.write(work, timeout, lambda done: save_position(self.file, done[0]))
        self.file_id = self.file_id or now.born
        warn_rejected(unready + misfits)


def make_embedded_texts(file: MemoryFile, embedder: Embedder | None, weight: float | None) -> "EmbeddedTexts | None":
    """Return the configured embedder's vectors; None without an embedder or with weight 0."""
    if embedder is None or weight == 0:
        return None
    from .embedded_texts import EmbeddedTexts, default_weight

    return EmbeddedTexts(file, embedder, default_weight(embedder) if weight is None else weight)


def split_batches(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Divide records, so that others get at the file in between."""
    for start in range(0, len(records), BATCH_SIZE):
        yield records[start : start + BATCH_SIZE]


def read_position(connection: "DuckDBPyConnection") -> Position:
    """Tell which file this is, how far each segment was read into it, and how much is in it."""
    from .layout import creation_time

    segments = dict(connection.execute("FROM segments").fetchall())
    return Position(creation_time(connection), segments, count_items(connection))


def count_items(connection: "DuckDBPyConnection") -> int:
    """Return the number of items in memory; a task and its text count as one."""
    found: int = connection.execute(ENTRIES).fetchall()[0][0]
    return found
