"""Store pre-images: the content of unstored files, saved before a tool writes them.

A mark records which content a path had with a given status, or that nothing existed.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import private_folder, write_atomically
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .blob_store import BlobStore
from .errors import CheckpointStoreError, store_errors
from .manifest import UNSTORED_FILE_KINDS, PathEntry, digest_status
from .restore_plan import ABSENT, RestorePlan
from .scan import read_regular_file


@dataclass(frozen=True, slots=True)
class PreImages:
    """Store the marks of one workspace, a file each."""

    folder: Path
    root: Path
    blobs: BlobStore
    most_bytes: int

    def save(self, path: str) -> None:
        """Save a path as it is now; raise CheckpointStoreError if it is too large, OSError if it cannot be read."""
        try:
            status, data = read_regular_file(self.root / path, self.most_bytes + 1)
        except FileNotFoundError:
            self.add_mark(path, ABSENT, b"")
            return
        if len(data) > self.most_bytes:
            raise CheckpointStoreError(
                f"{path} is too large to save. Raise `max_saved_mb` under [checkpoints.store] to save it."
            )
        self.add_mark(path, digest_status(status.st_size, status.st_mtime_ns), data)

    def add_mark(self, path: str, seen: str, data: bytes) -> None:
        """Store a path's content with its status."""
        digest = self.blobs.put(data) if seen != ABSENT else ""
        with store_errors(self.folder):
            write_atomically(private_folder(self.folder) / mark_name(path, seen), digest.encode("ascii"))

    def has(self, path: str, seen: str) -> bool:
        """Return whether a path was saved with this status."""
        return seen != "" and (self.folder / mark_name(path, seen)).is_file()

    def read_content(self, path: str, seen: str) -> bytes:
        """Return a path's content with this status; raise CheckpointStoreError when it is lost."""
        try:
            return self.blobs.get((self.folder / mark_name(path, seen)).read_text("ascii"))
        except (OSError, ValueError) as error:
            raise CheckpointStoreError(f"The saved copy of {path} is lost: {error}. It cannot be restored.") from error


def mark_name(path: str, seen: str) -> str:
    """Return the file name of a mark."""
    return sha256(f"{path}\0{seen}".encode("utf-8", "surrogateescape")).hexdigest()


def save_before_restore(todo: RestorePlan, now: Mapping[str, PathEntry], saved: PreImages) -> dict[str, str]:
    """Save unstored files before they are replaced; return what cannot be saved, with the reason."""
    left: dict[str, str] = {}
    for path in (entry.path for entry in (*todo.remove, *todo.make)):
        entry = now.get(path)
        try:
            if entry and entry.kind in UNSTORED_FILE_KINDS and not saved.has(path, entry.status_digest):
                saved.save(path)
        except (OSError, KoiError) as error:
            left[path] = getattr(error, "strerror", None) or str(error)
    return left
