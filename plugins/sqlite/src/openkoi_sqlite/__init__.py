"""OpenKoi's memory in SQLite: a view of the run log that can be rebuilt from it at any time."""

from .memory import SQLite
from .trouble import MemoryBusyError, MemoryNewerError, MemoryUnusableError

__all__ = ["MemoryBusyError", "MemoryNewerError", "MemoryUnusableError", "SQLite"]
