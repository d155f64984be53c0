"""OpenKoi's memory in SQLite: a view of the run log that can be rebuilt from it at any time."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from openkoi_search.memory_file_errors import MemoryNewerError as MemoryNewerError
    from openkoi_search.memory_file_errors import MemoryUnusableError as MemoryUnusableError

    from .memory import SQLite as SQLite
