"""The plugin: what the kernel calls, in threads of its own, so that a run never waits for the disk."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from openkoi_hookspecs import DataDir, Hit, KoiError, Query, Record, ShadowMemory

from .patience import LockTimeout

if TYPE_CHECKING:
    from sqlite3 import Connection

    from openkoi_search.document_cache import DocumentCache
    from openkoi_search.hit_selection import FoundDocument

    from .file import SQLiteMemoryFile
    from .intake import Batch
    from .stand_in import StandIn

T = TypeVar("T")
BATCH = 2_000


class SQLite:
    """Configured by ``[memory.sqlite]``: where the file is, and for how many ``seconds`` to wait for it."""

    def __init__(self, *, path: Annotated[Path, DataDir("memory.sqlite")], seconds: float = 1.0) -> None:
        self.path, self.seconds = path, seconds
        self.opened: SQLiteMemoryFile | None = None
        self.holding: DocumentCache | None = None
        self.stand_in: StandIn | None = None
        self.born = ""

    @property
    def file(self) -> "SQLiteMemoryFile":
        """The file; SQLite is imported when it is first asked for."""
        from .file import SQLiteMemoryFile

        self.opened = self.opened or SQLiteMemoryFile(self.path, self.seconds)
        return self.opened

    @property
    def view(self) -> "SQLiteMemoryFile | StandIn":
        """What is read and written: the file, or what stands in for it."""
        return self.stand_in or self.file

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take records in; raises MemoryBusy when another process writes for too long."""
        for batch in batches(records):
            await self.apart(partial(self.take_in, batch))

    async def search(self, query: Query) -> Sequence[Hit]:
        """Find what answers the query, best first; also while another process writes."""
        return await self.apart(partial(self.answer, query))

    async def offsets(self) -> Mapping[str, int]:
        """Tell how far each log segment was read: nothing of any, when the file is missing or had to make way.

        While the file cannot be opened a view in memory stands in for it, and has to be told everything.
        """
        told = await self.apart(self.looked_up)
        self.born, segments = told or ("", {})
        return segments

    async def health(self) -> Mapping[str, str]:
        """Tell where the file is, how large, and how much is in it."""
        entries = await self.apart(lambda patience: self.file.read(count_items, patience)) or 0
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
        self.born = ""
        return await asyncio.to_thread(self.file.make_way)

    async def replace_with(self, shadow: ShadowMemory) -> Path | None:
        """Put the file of a shadow in the place of this one; return where that is, if there was one."""
        if not isinstance(shadow, SQLite):
            raise KoiError(f"{type(shadow).__name__} is not a shadow of this memory. Use create_shadow().")
        self.born = ""
        return await asyncio.to_thread(self.file.make_way, shadow.file)

    async def apart(self, work: Callable[[LockTimeout], T]) -> T:
        """Work in a thread that stops waiting for the file once its caller does."""
        patience = LockTimeout(self.seconds)
        try:
            return await asyncio.to_thread(work, patience)
        finally:
            patience.given_up.set()

    def looked_up(self, patience: LockTimeout) -> tuple[str, dict[str, int]] | None:
        """Return how far the file was read; do not wait for it again once a fallback view replaces it."""
        from .stand_in import stand_in_for
        from .trouble import MemoryBusyError, MemoryNewerError

        try:
            found = self.file.read(offsets, LockTimeout(0.0) if self.stand_in else patience)
        except (MemoryBusyError, MemoryNewerError) as trouble:
            self.stand_in = self.stand_in or stand_in_for(self.path, trouble)
            return self.stand_in.read(offsets, patience)
        self.stand_in = None
        return found

    def answer(self, query: Query, patience: LockTimeout) -> Sequence[Hit]:
        """Answer a query, without the file where all is held."""
        from openkoi_search.document_cache import DocumentCache
        from openkoi_search.hit_selection import select_hits
        from openkoi_search.ranking import query_words, rank_documents

        from .tables import SQLiteTables, memo

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
        return select_hits(found or [], query, memo)

    def take_in(self, records: Sequence[Record], patience: LockTimeout) -> None:
        """Ingest a batch; if the file was replaced since the offsets were read, they stay."""
        from .file import born
        from .intake import ready, take_in

        def work(connection: "Connection") -> str:
            now = born(connection)
            take_in(connection, batch, moving=self.born in ("", now))
            return now

        batch = ready(records)
        now = self.view.write(work, patience)
        self.born = self.born or now
        say(batch)


def clean_query(query: Query) -> Query:
    """Return a query that SQLite can store."""
    from .staging import clean

    return replace(query, text=clean(query.text), project=clean(query.project), kinds=tuple(map(clean, query.kinds)))


def say(batch: "Batch") -> None:
    """Warn about skipped records."""
    if batch.passed_over:
        logging.getLogger("openkoi").warning(
            "Memory skipped %d records of the run log that it cannot store. The first: %s. "
            "The run log keeps them; everything else is remembered.",
            len(batch.passed_over),
            batch.passed_over[0],
        )


def batches(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Divide records, so that others get at the file in between."""
    for start in range(0, len(records), BATCH):
        yield records[start : start + BATCH]


def offsets(connection: "Connection") -> tuple[str, dict[str, int]]:
    """Tell which file this is, and how far each segment was read into it."""
    from .file import born
    from .seals import intact

    rows = intact(connection.execute("SELECT name, seen, seal FROM segments"))
    return born(connection), {str(name): int(str(seen)) for name, seen in rows}


def count_items(connection: "Connection") -> int:
    """Return the number of items that can be found."""
    found: int = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    return found


def format_size(size: int) -> str:
    """Return a size such as 840KB or 12MB."""
    return f"{size / 1e6:.0f}MB" if size >= 1e6 else f"{size / 1e3:.0f}KB"
