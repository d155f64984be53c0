"""A fallback view in memory for a file that cannot be opened; it gets the whole run log and searches by words alone."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from openkoi_hookspecs import KoiError

from .engine import made, quote_path
from .layout import create_tables
from .lock import LockTimeout
from .trouble import MemoryUnusableError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
MEANWHILE = "%s Meanwhile the run log itself answers, by words alone."


@dataclass(frozen=True, slots=True)
class StandIn:
    """Read and written as the file is, by one at a time."""

    path: Path
    connection: "DuckDBPyConnection"
    turn: Lock = field(default_factory=Lock)

    def read(self, work: Callable[["DuckDBPyConnection"], T], patience: LockTimeout | None = None) -> T:
        """Read; only this process can be waiting."""
        from .native import duckdb

        try:
            with self.turn:
                return work(self.connection)
        except duckdb.Error as error:
            raise MemoryUnusableError(self.path, error) from error

    write = read


def stand_in_for(path: Path, aside: Path, trouble: KoiError) -> StandIn:
    """An empty view in memory, and a word on why; what has no room in memory goes ``aside``."""
    logging.getLogger("openkoi").warning(MEANWHILE, trouble)
    connection = made()
    connection.execute(f"SET temp_directory = {quote_path(aside)}")
    create_tables(connection)
    return StandIn(path, connection)
