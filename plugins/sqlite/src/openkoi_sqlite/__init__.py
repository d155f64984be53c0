"""OpenKoi's memory in SQLite: a view of the run log that can be rebuilt from it at any time."""

from openkoi_search.memory_file_errors import MemoryBusyError, MemoryNewerError, MemoryUnusableError

from .memory import SQLite

__all__ = ["MemoryBusyError", "MemoryNewerError", "MemoryUnusableError", "SQLite"]
