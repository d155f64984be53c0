"""Locate, move or copy the memory file with those that belong to it: a corrupt one is moved aside."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.memory_file_errors import damaged_path, warn_damaged
from openkoi_search.store_file import StoreFile, delete_path

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection  # noqa: F401


@dataclass(frozen=True, slots=True)
class DatabaseFile(StoreFile["DuckDBPyConnection"]):
    """A file, which is closed and locked while it is moved or copied."""

    path: Path

    @property
    def log(self) -> Path:
        """The file for changes that DuckDB has not put into the main file yet."""
        return self.beside("wal")

    @property
    def log_size(self) -> int:
        """The size of that file in bytes."""
        return self.log.stat().st_size if self.log.exists() else 0

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self.log_size + (self.path.stat().st_size if self.path.exists() else 0)

    def beside(self, ending: str) -> Path:
        """Return the path with a suffix added to the name."""
        return self.path.with_name(f"{self.path.name}.{ending}")

    def set_aside(self, cause: object) -> None:
        """Move a damaged file aside, and log that."""
        bad = damaged_path(self.path)
        self.move(bad)
        warn_damaged(self.path, bad, str(cause).splitlines()[0])

    def retire(self, version: str) -> None:
        """Move a file of an older version aside, and log that."""
        old = self.beside(f"bak.v{version}")
        self.move(old)
        logging.getLogger("openkoi").warning(
            "The memory file %s is from an older OpenKoi (version %s) and was moved to %s; "
            "memory is rebuilt from the run log.",
            self.path,
            version,
            old.name,
        )

    def move(self, to: Path) -> None:
        """Move the file and what belongs to it."""
        log = to.with_name(f"{to.name}.wal")
        for path in (to, log):
            delete_path(path)
        if self.log.exists():
            self.log.replace(log)
        self.path.replace(to)

    def discard(self) -> None:
        """Delete the file and those that belong to it."""
        for path in self.path.parent.glob(f"{self.path.name}*"):
            delete_path(path)
