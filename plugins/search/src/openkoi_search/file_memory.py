"""Implement what memories in a database file share: wait for the file, replace it, answer from it, or do without it."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from openkoi_hookspecs import Hit, KoiError, Query, Record, ShadowMemory
from openkoi_hookspecs.lazy_dataclass import dataclass

from .lock_timeout import LockTimeout
from .memory_file_errors import MemoryBusyError, MemoryNewerError, MemoryUnusableError

if TYPE_CHECKING:
    from .document_cache import DocumentCache, DocumentTables
    from .hit_selection import FoundDocument
    from .store_file import StoreFile
    from .vector_store import VectorQuery

C = TypeVar("C")
T = TypeVar("T")
FALLBACK_NOTE = "%s Until then, OpenKoi searches the run log directly, by words alone."


@dataclass(frozen=True, slots=True)
class FallbackView(Generic[C]):
    """A view in memory for a file that cannot be opened: read and written like it, one operation at a time."""

    path: Path
    connection: C
    errors: type[Exception]
    transaction: Callable[[C], AbstractContextManager[object]] = nullcontext
    turn: Lock = field(default_factory=Lock)

    def read(self, work: Callable[[C], T], _: LockTimeout | None = None) -> T:
        """Run work in one transaction; there is no timeout, because no other process uses a view in memory."""
        try:
            with self.turn, self.transaction(self.connection):
                return work(self.connection)
        except self.errors as error:
            raise MemoryUnusableError(self.path, error) from error

    write = read


class FileMemory(ABC, Generic[C]):
    """A memory in a database file; ``file_id`` distinguishes the file whose offsets were read from its replacement."""

    batch_size: int
    holding: "DocumentCache | None" = None
    fallback: FallbackView[C] | None = None
    file_id = ""

    @property
    @abstractmethod
    def file(self) -> "StoreFile[C]":
        """The file."""

    @abstractmethod
    def make_fallback(self) -> FallbackView[C]:
        """Return an empty view in memory, which gets the whole run log."""

    @abstractmethod
    def open_tables(self, connection: C, meant: "VectorQuery | None") -> "DocumentTables":
        """Return the tables of an open file, for search."""

    @abstractmethod
    def take_in(self, records: Sequence[Record], timeout: LockTimeout) -> None:
        """Ingest a batch; if the file was replaced since the offsets were read, they stay."""

    async def ingest(self, records: Sequence[Record]) -> None:
        """Ingest records; raise MemoryBusyError when another process writes for too long. Others can use the file
        between batches.
        """
        for start in range(0, len(records), self.batch_size):
            await self.run_in_thread(partial(self.take_in, records[start : start + self.batch_size]))

    def discard(self) -> None:
        """Delete this memory and its files."""
        self.file.discard()

    async def reset(self) -> Path | None:
        """Move the file aside; return where it is, if there was one."""
        self.file_id = ""
        return await asyncio.to_thread(self.file.make_way)

    async def replace_with(self, shadow: ShadowMemory) -> Path | None:
        """Replace this file by that of a shadow; return where the old file is, if there was one."""
        if not isinstance(shadow, type(self)):
            raise KoiError(f"{type(shadow).__name__} is not a shadow of this memory. Use create_shadow().")
        self.file_id = ""
        return await asyncio.to_thread(self.file.make_way, shadow.file)

    async def run_in_thread(self, work: Callable[[LockTimeout], T]) -> T:
        """Work in a thread that stops waiting for the file once its caller does."""
        timeout = LockTimeout(self.file.seconds)
        try:
            return await asyncio.to_thread(work, timeout)
        finally:
            timeout.given_up.set()

    def read_or_fall_back(self, work: Callable[[C], T], timeout: LockTimeout) -> T | None:
        """Read from the file; do not wait for it again once a fallback view replaces it."""
        try:
            found = self.file.read(work, LockTimeout(0.0) if self.fallback else timeout)
        except (MemoryBusyError, MemoryNewerError) as trouble:
            if not self.fallback:
                logging.getLogger("openkoi").warning(FALLBACK_NOTE, trouble)
                self.fallback = self.make_fallback()
            return self.fallback.read(work)
        self.fallback = None
        return found

    def answer(self, query: Query, timeout: LockTimeout, meant: "VectorQuery | None" = None) -> Sequence[Hit]:
        """Answer a query, from cached documents if possible. Work that needs no file is done before opening it."""
        from .document_cache import DocumentCache
        from .hit_selection import select_hits
        from .ranking import query_words, rank_documents

        def ask(connection: C) -> "Sequence[FoundDocument]":
            tables = self.open_tables(connection, meant)
            return rank_documents(holding.choose_source(stamps, tables) if holds else tables, query, words, meant)

        view = self.fallback or self.file
        holds = view is self.file and find_spec("numpy") is not None
        words = query_words(query)
        holding = self.holding = self.holding or DocumentCache(self.file.path, self.file.log)
        stamps = holding.stamps
        found = holding.rank_documents(query, words, meant) if view is self.file else None
        if found is None:
            found = view.read(ask, timeout)
        return select_hits(found or [], query)
