"""A memory in the segments of an index: no database and no NumPy, neither to add a run nor to search."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from openkoi_hookspecs import Event, Hit, Query, Record, ShadowMemory

    from .lock_timeout import LockTimeout
    from .recall_facts import Batch
    from .segment_folder import SegmentFolder
    from .segment_index import SegmentIndex

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(slots=True)
class IndexedMemory:
    """A memory in a folder. Writers wait up to ``seconds`` for each other, readers never.

    ``dimensions`` is the length of the vectors of words and their pieces (0: none), ``weight`` their weight against
    words.
    """

    path: Path
    seconds: float = 1.0
    dimensions: int = 0
    weight: float = 0.0
    opened: "SegmentFolder | None" = None
    born: str = ""

    @property
    def folder(self) -> "SegmentFolder":
        """The segments; what reads and writes them is imported when it is first needed."""
        from .segment_folder import SegmentFolder

        self.opened = self.opened or SegmentFolder(self.path, self.seconds)
        return self.opened

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was ever indexed."""
        return not self.path.exists()

    @property
    def needs(self) -> "Collection[type[Event]]":
        """The kinds of events that documents depend on."""
        from .recall_facts import NEEDED_EVENTS

        return NEEDED_EVENTS

    @property
    def ingests_parts(self) -> bool:
        """Whether ingesting part of a run takes only the time of its own records."""
        return True

    async def ingest(self, records: "Sequence[Record]") -> None:
        """Index records; raise MemoryBusyError when another process writes for too long."""
        if records:
            await self.run_in_thread(lambda timeout: self.add(records, timeout))

    async def search(self, query: "Query") -> "Sequence[Hit]":
        """Find entries that match the query, best first."""
        return [] if self.is_empty else await in_thread(self.find, query)

    def find(self, query: "Query") -> "Sequence[Hit]":
        """Find entries in this thread."""
        return [] if self.is_empty else self.retry_if_damaged(lambda: self.rank(query))

    async def offsets(self) -> Mapping[str, int]:
        """Return how far each log file was read; empty when the index is missing or was moved aside."""
        return self.read_offsets() if self.is_empty else await in_thread(self.read_offsets)

    def read_offsets(self) -> Mapping[str, int]:
        """Return the same, read synchronously."""
        self.born, offsets = ("", {}) if self.is_empty else self.retry_if_damaged(self.read_position)
        return offsets

    def read_position(self) -> tuple[str, Mapping[str, int]]:
        """Return an id that a rebuilt index changes, and how far each log file was read."""
        index = self.folder.read()
        return index.born, index.offsets

    async def run_in_thread(self, work: "Callable[[LockTimeout], T]") -> T:
        """Work in a thread that stops waiting for other writers once its caller does."""
        from .lock_timeout import LockTimeout

        timeout = LockTimeout(self.seconds)
        try:
            return await in_thread(work, timeout)
        finally:
            timeout.given_up.set()

    def add(self, records: "Iterable[Record]", timeout: "LockTimeout") -> None:
        """Add a segment with what records change, if they change anything.

        If the index was replaced since the offsets were read, they stay, because earlier records are missing in it.
        They also stay if a segment turns out to be damaged: the records are then added to an empty index.
        """
        from .checksums import CorruptFileError
        from .recall_facts import make_batch

        batch = make_batch(records)
        with self.folder.lock(timeout):
            index = self.folder.read()
            try:
                self.add_batch(batch, index)
            except CorruptFileError as error:
                self.born = self.born or index.born
                self.folder.set_aside(error)
                self.add_batch(batch, self.folder.read())
        warn_skipped(batch.skipped)

    def add_batch(self, batch: "Batch", index: "SegmentIndex") -> None:
        """Add a segment to an index that was just read."""
        from secrets import token_hex

        from .segment_changes import Changes

        content = Changes(index, batch).content(self.dimensions, moving=self.born in ("", index.born))
        if content:
            born = index.born or token_hex(8)
            self.born = self.born or born
            self.folder.add(content, born)

    def retry_if_damaged(self, work: "Callable[[], T]") -> T:
        """Work; if a segment turns out to be damaged, move the index aside and work again with an empty one."""
        from .checksums import CorruptFileError

        try:
            return work()
        except CorruptFileError as error:
            self.folder.set_aside(error)
        return work()

    def rank(self, query: "Query") -> "Sequence[Hit]":
        """Rank the documents of the current index."""
        from .hit_selection import select_hits
        from .ranking import query_words, rank_documents
        from .segment_documents import LexicalQuery, SegmentDocuments

        index = self.folder.read()
        if not index.size:
            return []
        meant = LexicalQuery(query.text, self.dimensions, self.weight) if self.dimensions else None
        found = rank_documents(SegmentDocuments(index), query, query_words(query), meant)
        return select_hits(found, query)

    async def health(self) -> Mapping[str, str]:
        """Return where the index is, its size, and the number of its documents."""
        return self.read_health() if self.is_empty else await in_thread(self.read_health)

    def read_health(self) -> Mapping[str, str]:
        """Return the same, read synchronously."""
        size, entries = (0, 0) if self.is_empty else self.retry_if_damaged(self.measure)
        return {"index": str(self.path), "size": format_size(size), "entries": f"{entries:,}"}

    def measure(self) -> tuple[int, int]:
        """Return the index's size in bytes, and the number of its documents."""
        entries = self.folder.read().size
        return self.folder.size, entries

    def create_shadow(self) -> "IndexedMemory":
        """Return an empty index stored next to this one."""
        place = self.path.with_name(f"{self.path.name}.new")
        fresh = IndexedMemory(place, self.seconds, self.dimensions, self.weight)
        fresh.discard()
        return fresh

    async def replace_with(self, shadow: "ShadowMemory") -> Path | None:
        """Replace this index by a shadow; return where the old index is, if there was one."""
        if not isinstance(shadow, IndexedMemory):
            from openkoi_hookspecs import KoiError

            raise KoiError(f"{type(shadow).__name__} is not a shadow of this memory. Use create_shadow().")
        return await in_thread(self.make_way, shadow)

    async def reset(self) -> Path | None:
        """Move the index aside; return where it is, if there was one."""
        return await in_thread(self.make_way)

    def make_way(self, fresh: "IndexedMemory | None" = None) -> Path | None:
        """Move the index aside, and a fresh one into its place; return where the old one is, if there was one."""
        from .lock_timeout import LockTimeout

        self.born = ""
        old = None
        if not self.is_empty:
            old = self.path.with_name(f"{self.path.name}.old")
            with self.folder.lock(LockTimeout(self.seconds)):
                self.folder.move(old)
        if fresh and not fresh.is_empty:
            fresh.folder.move(self.path)
        return old

    def discard(self) -> None:
        """Delete the index."""
        self.folder.discard()


async def in_thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Work in a thread; readers in plain functions need no asyncio."""
    from asyncio import to_thread

    return await to_thread(work, *arguments, **named)


def format_size(size: int) -> str:
    """Return a size such as 840KB or 12MB."""
    return f"{size / 1e6:.0f}MB" if size >= 1e6 else f"{size / 1e3:.0f}KB"


def warn_skipped(skipped: Sequence[str]) -> None:
    """Warn about records that cannot be read again."""
    if skipped:
        import logging

        from openkoi_base.counts import format_count

        logging.getLogger("openkoi").warning(
            "Memory skipped %s of the run log that it cannot store (first: %s). "
            "The run log keeps all records; everything else is remembered.",
            format_count(len(skipped), "record"),
            skipped[0],
        )
