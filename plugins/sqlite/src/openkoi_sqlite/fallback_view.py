"""A fallback view in memory for a file that cannot be opened; it gets the whole run log."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from threading import Lock
from typing import TypeVar

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.lock_timeout import LockTimeout
from openkoi_search.memory_file_errors import MemoryUnusableError

from .file import create_tables

T = TypeVar("T")
FALLBACK_NOTE = "%s Until then, OpenKoi searches the run log directly."


@dataclass(frozen=True, slots=True)
class SQLiteFallbackView:
    """Read and written like the file, one operation at a time."""

    path: Path
    connection: sqlite3.Connection
    turn: Lock = field(default_factory=Lock)

    def read(self, work: Callable[[sqlite3.Connection], T], patience: LockTimeout) -> T:
        """Work in one transaction; only this process can be waiting."""
        try:
            with self.turn, self.connection:
                self.connection.execute("BEGIN")
                return work(self.connection)
        except sqlite3.Error as error:
            raise MemoryUnusableError(self.path, error) from error

    write = read


def make_fallback(path: Path, trouble: KoiError) -> SQLiteFallbackView:
    """Return an empty view in memory, and warn why."""
    logging.getLogger("openkoi").warning(FALLBACK_NOTE, trouble)
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    create_tables(connection)
    return SQLiteFallbackView(path, connection)
