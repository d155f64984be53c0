"""A view in memory that stands in for a file that cannot be opened: it is told the whole run log, and forgotten.

Knows one connection; knows no file.
"""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TypeVar

from openkoi_hookspecs import KoiError

from .file import lay_out
from .patience import Patience
from .trouble import MemoryUnusable

T = TypeVar("T")
MEANWHILE = "%s Meanwhile the run log itself answers."


@dataclass(frozen=True, slots=True)
class StandIn:
    """Read and written as the file is, by one at a time."""

    path: Path
    connection: sqlite3.Connection
    turn: Lock = field(default_factory=Lock)

    def read(self, work: Callable[[sqlite3.Connection], T], patience: Patience) -> T:
        """Do the work in one transaction; there is nobody to wait for but one's own process."""
        try:
            with self.turn, self.connection:
                self.connection.execute("BEGIN")
                return work(self.connection)
        except sqlite3.Error as error:
            raise MemoryUnusable(self.path, error) from error

    write = read


def stand_in_for(path: Path, trouble: KoiError) -> StandIn:
    """An empty view in memory, and a word on why."""
    logging.getLogger("openkoi").warning(MEANWHILE, trouble)
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    lay_out(connection)
    return StandIn(path, connection)
