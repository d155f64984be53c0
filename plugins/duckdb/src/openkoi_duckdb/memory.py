"""The memory plugin in DuckDB: add runs, and search them by words and by the model of `models.embedder`, if any.

Runs are added to an index of segments, and searched there: neither needs DuckDB. The tables are brought up to date
when a program asks for them; only with an embedder, whose vectors they contain, are they filled and searched each time.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_hookspecs import (
    DataDir,
    Embedder,
    Event,
    Hit,
    Inject,
    KoiError,
    Query,
    Record,
    ShadowMemory,
    SharedSetting,
)
from openkoi_search.indexed_memory import IndexedMemory

from .names import (
    DATABASE_FILE,
    LEXICAL,
    LEXICAL_DIMENSIONS,
    LEXICAL_WEIGHT,
    WITHOUT_EMBEDDER,
    index_path,
)

if TYPE_CHECKING:
    from .table_memory import TableMemory


class DuckDB:
    """Configured by ``[memory.duckdb]``: the path of the file, and how many ``seconds`` to wait for it.

    Search compares words and their pieces. With an ``embedder``, by default that of ``[models]``, it compares meaning
    as well: ``vectors`` is the weight of meaning, by default a measured optimum; 0 turns it off.
    """

    def __init__(
        self,
        *,
        path: Annotated[Path, DataDir(DATABASE_FILE)],
        seconds: float = 1.0,
        embedder: Annotated[Embedder | None, Inject("embedders"), SharedSetting("models.embedder")] = None,
        vectors: float | None = None,
    ) -> None:
        self.path, self.seconds, self.embedder, self.vectors = path, seconds, embedder, vectors
        self.index = IndexedMemory(
            index_path(path),
            seconds,
            0 if vectors == 0 else getattr(embedder, "dimensions", LEXICAL_DIMENSIONS),
            LEXICAL_WEIGHT if vectors is None else vectors,
        )
        self.tables: TableMemory | None = None
        self.fills_tables = self.needs_tables

    @property
    def needs_tables(self) -> bool:
        """Whether the tables are searched, because they contain the vectors of an embedder."""
        return self.embedder is not None and self.vectors != 0 and not self.embedder.id.startswith(LEXICAL)

    def table_view(self) -> "TableMemory":
        """Return the tables, which the caller brings up to date with the log."""
        from .table_memory import TableMemory

        embedder = self.embedder if self.needs_tables else None
        self.tables = self.tables or TableMemory(
            path=self.path, seconds=self.seconds, embedder=embedder, vectors=self.vectors
        )
        return self.tables

    @property
    def search_view(self) -> "TableMemory | IndexedMemory":
        """The index or tables to search."""
        return self.table_view() if self.needs_tables else self.index

    @property
    def needs(self) -> Collection[type[Event]]:
        """The kinds of events that are needed; the tables need all."""
        return () if self.fills_tables else self.index.needs

    @property
    def ingests_parts(self) -> bool:
        """Whether a part of a run takes only the time of its own records; the tables compute the whole run again."""
        return not self.fills_tables

    async def ingest(self, records: Sequence[Record]) -> None:
        """Add records; raise MemoryBusyError when another process writes for too long."""
        if not self.needs_tables:
            await self.index.ingest(records)
        if self.fills_tables:
            await self.table_view().ingest(records)

    async def search(self, query: Query) -> Sequence[Hit]:
        """Find entries that match the query, best first."""
        return await self.search_view.search(query)

    async def offsets(self) -> Mapping[str, int]:
        """Return how far each log segment was read; empty when memory is missing or was moved aside."""
        return await self.search_view.offsets()

    async def health(self) -> Mapping[str, str]:
        """Return where memory is, its size, its number of entries, and the embedder."""
        if self.needs_tables:
            return await self.table_view().health()
        return {**await self.index.health(), "embedder": self.describe_embedder()}

    def describe_embedder(self) -> str:
        """Return the embedder for the health report."""
        if not self.index.dimensions:
            return "none; search uses words only"
        return self.embedder.id if self.embedder else WITHOUT_EMBEDDER

    def create_shadow(self) -> "DuckDB":
        """Return an empty memory, stored next to this one, to fill from the log; with tables if this one has them."""
        place = self.path.with_name(f"{self.path.name}.new")
        fresh = DuckDB(path=place, seconds=self.seconds, embedder=self.embedder, vectors=self.vectors)
        fresh.fills_tables = self.needs_tables or self.path.exists()
        fresh.discard()
        return fresh

    def discard(self) -> None:
        """Delete this memory and all that belongs to it."""
        self.index.discard()
        self.table_view().discard()

    async def reset(self) -> Path | None:
        """Move memory aside; return where it is, if there was any."""
        index = await self.index.reset()
        return await self.table_view().reset() or index

    async def replace_with(self, shadow: ShadowMemory) -> Path | None:
        """Replace this memory by a shadow; return where the old memory is, if there was any."""
        if not isinstance(shadow, DuckDB):
            raise KoiError(f"{type(shadow).__name__} is not a shadow of this memory. Use create_shadow().")
        index = await self.index.replace_with(shadow.index)
        return await self.table_view().replace_with(shadow.table_view()) or index
