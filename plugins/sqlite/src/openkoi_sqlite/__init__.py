"""OpenKoi's memory in SQLite: a view of the run log that can be rebuilt from it at any time."""

from .memory import SQLite
from .store_errors import MemoryBusyError, MemoryNewerError, MemoryUnusableError

__all__ = ["MemoryBusyError", "MemoryNewerError", "MemoryUnusableError", "SQLite"]
