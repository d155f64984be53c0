"""OpenKoi's memory in DuckDB: a view of the run log that can be rebuilt from it at any time."""

from .making import Index, make_index
from .memory import DuckDB
from .trouble import MemoryBusy, MemoryNewer, MemoryUnusable

__all__ = ["DuckDB", "Index", "MemoryBusy", "MemoryNewer", "MemoryUnusable", "make_index"]
