"""OpenKoi's memory in SQLite: a view of the run log that can be rebuilt from it at any time."""

from .memory import SQLite
from .trouble import MemoryBusy, MemoryNewer, MemoryUnusable

__all__ = ["MemoryBusy", "MemoryNewer", "MemoryUnusable", "SQLite"]
