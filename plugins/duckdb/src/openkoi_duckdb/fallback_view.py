"""A fallback view in memory for a file that cannot be opened; it gets the whole run log and searches by words alone."""

import logging
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.memory_file_errors import MemoryUnusableError

from .engine import create_connection, quote_path
from .layout import create_tables
from .lock import LockTimeout

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
FALLBACK_NOTE = "%s Until then, OpenKoi searches the run log directly, by words alone."


@dataclass(frozen=True, slots=True)
class FallbackView:
    """Read and written like the file, one operation at a time."""

    path: Path
    connection: "DuckDBPyConnection"
    turn: Lock = field(default_factory=Lock)

    def read(self, work: Callable[["DuckDBPyConnection"], T], timeout: LockTimeout | None = None) -> T:
        """Read; only this process can be waiting."""
        from .native import duckdb

        try:
            with self.turn:
                return work(self.connection)
        except duckdb.Error as error:
            raise MemoryUnusableError(self.path, error) from error

    write = read


def make_fallback(path: Path, aside: Path, trouble: KoiError) -> FallbackView:
    """Return an empty view in memory, and warn why; ``aside`` is for data that does not fit into memory."""
    logging.getLogger("openkoi").warning(FALLBACK_NOTE, trouble)
    connection = create_connection()
    connection.execute(f"SET temp_directory = {quote_path(aside)}")
    create_tables(connection)
    return FallbackView(path, connection)
