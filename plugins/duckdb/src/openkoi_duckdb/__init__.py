"""OpenKoi's memory in DuckDB: a view of the run log that can be rebuilt from it at any time."""

from typing import TYPE_CHECKING, Any

from openkoi_search.memory_file_errors import MemoryBusyError, MemoryNewerError, MemoryUnusableError

from .memory import DuckDB

if TYPE_CHECKING:
    from openkoi_search import TextIndex, make_index

__all__ = ["DuckDB", "MemoryBusyError", "MemoryNewerError", "MemoryUnusableError", "TextIndex", "make_index"]


def __getattr__(name: str) -> Any:
    """Import what makes an index of any texts when it is asked for: a run never does."""
    if name not in ("TextIndex", "make_index"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import openkoi_search

    return getattr(openkoi_search, name)
