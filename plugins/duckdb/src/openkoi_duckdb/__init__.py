"""OpenKoi's memory in DuckDB: a view of the run log that can be rebuilt from it at any time."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from openkoi_search.memory_file_errors import MemoryBusyError, MemoryNewerError, MemoryUnusableError

    from .memory import DuckDB
    from .reader import read_memory

__all__ = [
    "DuckDB",
    "MemoryBusyError",
    "MemoryNewerError",
    "MemoryUnusableError",
    "read_memory",
]
