"""Read memory without a database, a plugin or an event loop, if its configuration needs none."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.indexed_memory import IndexedMemory

from .names import DATABASE_FILE, LEXICAL_DIMENSIONS, LEXICAL_WEIGHT, WITHOUT_EMBEDDER, index_path

if TYPE_CHECKING:
    from openkoi_hookspecs import Hit, Query, Reader


@dataclass(frozen=True, slots=True)
class IndexReader:
    """The index of words and their pieces."""

    index: IndexedMemory

    def health(self) -> Mapping[str, str]:
        """Return where the index is, its size and its number of entries."""
        return {**self.index.read_health(), "embedder": WITHOUT_EMBEDDER}

    def offsets(self) -> Mapping[str, int]:
        """Return how far each log segment was read."""
        return self.index.read_offsets()

    def search(self, query: "Query") -> "Sequence[Hit]":
        """Find entries that match the query, best first."""
        return self.index.find(query)


def read_memory(reader: "Reader") -> IndexReader | None:
    """Return a reader of the memory; None if it has settings of its own, or searches by meaning with an embedder."""
    embedder = reader.setting("models.embedder", str, "")
    if embedder or reader.table("memory.duckdb"):
        return None
    path = index_path(reader.data / DATABASE_FILE)
    return IndexReader(IndexedMemory(path, dimensions=LEXICAL_DIMENSIONS, weight=LEXICAL_WEIGHT))
