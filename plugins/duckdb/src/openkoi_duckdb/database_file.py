"""Locate the memory file and those beside it, and move or copy it."""

import logging
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DatabaseFile:
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
        """Move a damaged file out of the way, and say so."""
        bad = self.beside(f"bad-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
        self.move(bad)
        logging.getLogger("openkoi").warning(
            "The memory file %s could not be read (%s). It was moved to %s; memory is being rebuilt from the run log.",
            self.path,
            str(cause).splitlines()[0],
            bad.name,
        )

    def retire(self, version: str) -> None:
        """Move a file of an older version out of the way, and say so."""
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
        """Delete the file and all that lies beside it."""
        for path in self.path.parent.glob(f"{self.path.name}*"):
            delete_path(path)


def delete_path(path: Path) -> None:
    """Delete a file that is in the way; a folder, which is none of ours, gets another name."""
    if path.is_dir():
        path.replace(path.with_name(f"{path.name}-{token_hex(4)}"))
    else:
        path.unlink(missing_ok=True)
