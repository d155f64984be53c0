"""OpenKoi's memory in DuckDB: a view of the run log that can be rebuilt from it at any time."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from openkoi_search.memory_file_errors import MemoryBusyError as MemoryBusyError
    from openkoi_search.memory_file_errors import MemoryNewerError as MemoryNewerError
    from openkoi_search.memory_file_errors import MemoryUnusableError as MemoryUnusableError

    from .memory import DuckDB as DuckDB
    from .reader import read_memory as read_memory
