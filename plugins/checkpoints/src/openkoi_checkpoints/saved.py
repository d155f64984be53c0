"""What was saved of files that are only noticed, because one of ours was about to write them.

A mark says which content a path had when it looked so, or that nothing was there. Knows marks; knows no checkpoint.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from openkoi_files import private_folder

from .blobs import Blobs
from .errors import StoreFault
from .manifest import look
from .plan import ABSENT
from .private import writable, write_whole
from .survey import read_file


@dataclass(frozen=True, slots=True)
class Saved:
    """The marks of one workspace, a file each."""

    folder: Path
    root: Path
    blobs: Blobs
    most_bytes: int

    def save(self, path: str) -> None:
        """Save a path as it is now; raises StoreFault for what is too large, OSError for what cannot be read."""
        try:
            status, data = read_file(self.root / path, self.most_bytes + 1)
        except FileNotFoundError:
            self.mark(path, ABSENT, b"")
            return
        if len(data) > self.most_bytes:
            raise StoreFault(f"{path} is too large to be saved; max_saved_mb under [checkpoints.store] says what is.")
        self.mark(path, look(status.st_size, status.st_mtime_ns), data)

    def mark(self, path: str, seen: str, data: bytes) -> None:
        """Keep what a path held when it looked so."""
        digest = self.blobs.put(data) if seen != ABSENT else ""
        with writable(self.folder):
            write_whole(private_folder(self.folder) / mark_name(path, seen), digest.encode("ascii"))

    def has(self, path: str, seen: str) -> bool:
        """Whether a path was saved when it looked so."""
        return seen != "" and (self.folder / mark_name(path, seen)).is_file()

    def content(self, path: str, seen: str) -> bytes:
        """What a path held when it looked so; raises StoreFault when that is lost."""
        try:
            return self.blobs.get((self.folder / mark_name(path, seen)).read_text("ascii"))
        except OSError as error:
            raise StoreFault(f"What was saved of {path} is lost: {error}. It cannot be restored.") from error


def mark_name(path: str, seen: str) -> str:
    """The name of the file that is a mark."""
    return sha256(f"{path}\0{seen}".encode("utf-8", "surrogateescape")).hexdigest()
