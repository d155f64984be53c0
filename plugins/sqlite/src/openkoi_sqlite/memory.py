"""The plugin: what the kernel calls, in threads of its own, so that a run never waits for the disk."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from openkoi_hookspecs import DataDir, Hit, KoiError, Query, Record, ShadowMemory
from openkoi_search.lock_timeout import LockTimeout

if TYPE_CHECKING:
    from sqlite3 import Connection

    from openkoi_search.document_cache import DocumentCache
    from openkoi_search.hit_selection import FoundDocument

    from .fallback_view import SQLiteFallbackView
    from .file import SQLiteMemoryFile

T = TypeVar("T")
BATCH_SIZE = 2_000


class SQLite:
    """Configured by ``[memory.sqlite]``: where the file is, and for how many ``seconds`` to wait for it."""

    def __init__(self, *, path: Annotated[Path, DataDir("memory.sqlite")], seconds: float = 1.0) -> None:
        self.path, self.seconds = path, seconds
        self.opened: SQLiteMemoryFile | None = None
        self.holding: DocumentCache | None = None
        self.fallback: SQLiteFallbackView | None = None
        self.file_id = ""

    @property
    def file(self) -> "SQLiteMemoryFile":
        """The file; SQLite is imported when it is first asked for."""
        from .file import SQLiteMemoryFile

        self.opened = self.opened or SQLiteMemoryFile(self.path, self.seconds)
        return self.opened

    @property
    def view(self) -> "SQLiteMemoryFile | SQLiteFallbackView":
        """What is read and written: the file, or what stands in for it."""
        return self.fallback or self.file

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take records in; raises MemoryBusy when another process writes for too long."""
        for batch in split_batches(records):
            await self.run_in_thread(partial(self.take_in, batch))

    async def search(self, query: Query) -> Sequence[Hit]:
        """Find what answers the query, best first; also while another process writes."""
        return await self.run_in_thread(partial(self.answer, query))

    async def offsets(self) -> Mapping[str, int]:
        """Tell how far each log segment was read: nothing of any, when the file is missing or had to make way.

        While the file cannot be opened a view in memory replaces it and needs all records.
        """
        position = await self.run_in_thread(self.read_or_fall_back)
        self.file_id, segments = position or ("", {})
        return segments

    async def health(self) -> Mapping[str, str]:
        """Tell where the file is, how large, and how much is in it."""
        from openkoi_search.indexed_memory import format_size

        entries = await self.run_in_thread(lambda patience: self.file.read(count_items, patience)) or 0
        return {"file": str(self.path), "size": format_size(self.file.size), "entries": f"{entries:,}"}

    def create_shadow(self) -> "SQLite":
        """Return an empty memory in a file beside this one's."""
        fresh = SQLite(path=self.path.with_name(f"{self.path.name}.new"), seconds=self.seconds)
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
        if not isinstance(shadow, SQLite):
            raise KoiError(f"{type(shadow).__name__} is not a shadow of this memory. Use create_shadow().")
        self.file_id = ""
        return await asyncio.to_thread(self.file.make_way, shadow.file)

    async def run_in_thread(self, work: Callable[[LockTimeout], T]) -> T:
        """Work in a thread that stops waiting for the file once its caller does."""
        patience = LockTimeout(self.seconds)
        try:
            return await asyncio.to_thread(work, patience)
        finally:
            patience.given_up.set()

    def read_or_fall_back(self, patience: LockTimeout) -> tuple[str, dict[str, int]] | None:
        """Return how far the file was read; do not wait for it again once a fallback view replaces it."""
        from openkoi_search.memory_file_errors import MemoryBusyError, MemoryNewerError

        from .fallback_view import make_fallback

        try:
            found = self.file.read(read_offsets, LockTimeout(0.0) if self.fallback else patience)
        except (MemoryBusyError, MemoryNewerError) as trouble:
            self.fallback = self.fallback or make_fallback(self.path, trouble)
            return self.fallback.read(read_offsets, patience)
        self.fallback = None
        return found

    def answer(self, query: Query, patience: LockTimeout) -> Sequence[Hit]:
        """Answer a query, without the file where all is held."""
        from openkoi_search.document_cache import DocumentCache
        from openkoi_search.hit_selection import select_hits
        from openkoi_search.ranking import query_words, rank_documents

        from .tables import SQLiteTables

        def ask(there: "Connection") -> "Sequence[FoundDocument]":
            tables = SQLiteTables(there)
            return rank_documents(holding.choose_source(stamps, tables) if held else tables, query, words)

        view = self.view
        query, held = clean_query(query), view is self.file and find_spec("numpy") is not None
        words = query_words(query)
        holding = self.holding = self.holding or DocumentCache(self.path, self.path.with_name(f"{self.path.name}-wal"))
        stamps = holding.stamps
        found = holding.rank_documents(query, words) if view is self.file else None
        if found is None:
            found = view.read(ask, patience)
        return select_hits(found or [], query)

    def take_in(self, records: Sequence[Record], patience: LockTimeout) -> None:
        """Ingest a batch; if the file was replaced since the offsets were read, they stay."""
        from openkoi_search.indexed_memory import warn_skipped

        from .file import read_file_id
        from .ingest import ingest_batch, prepare_batch

        def work(connection: "Connection") -> str:
            now = read_file_id(connection)
            ingest_batch(connection, batch, moving=self.file_id in ("", now))
            return now

        batch = prepare_batch(records)
        now = self.view.write(work, patience)
        self.file_id = self.file_id or now
        warn_skipped(batch.skipped)


def clean_query(query: Query) -> Query:
    """Return a query that SQLite can store."""
    from .stored_records import clean

    return replace(query, text=clean(query.text), project=clean(query.project), kinds=tuple(map(clean, query.kinds)))


def split_batches(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Divide records, so that others get at the file in between."""
    for start in range(0, len(records), BATCH_SIZE):
        yield records[start : start + BATCH_SIZE]


def read_offsets(connection: "Connection") -> tuple[str, dict[str, int]]:
    """Tell which file this is, and how far each segment was read into it."""
    from .checksums import check_rows
    from .file import read_file_id

    rows = check_rows(connection.execute("SELECT name, seen, seal FROM segments"))
    return read_file_id(connection), {str(name): int(str(seen)) for name, seen in rows}


def count_items(connection: "Connection") -> int:
    """Return the number of items that can be found."""
    found: int = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    return found
