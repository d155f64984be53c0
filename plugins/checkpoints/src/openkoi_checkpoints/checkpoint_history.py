"""List, read and write the checkpoints of one workspace."""

import secrets
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import private_folder, write_atomically
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .errors import CheckpointNotFoundError, CheckpointStoreError, store_errors
from .manifest import Manifest, PathEntry

ID = lazy_pattern(r"[0-9a-f]{16}-[0-9a-f]{6}")


def open_history(root: Path, folder: Path) -> "CheckpointHistory":
    """Open the history of a workspace below the store's folder."""
    name = sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return CheckpointHistory(private_folder(folder / "workspaces" / name), str(root))


@dataclass(frozen=True, slots=True)
class CheckpointHistory:
    """Manage a folder with one file per checkpoint, named so that the latest sorts last."""

    folder: Path
    root: str

    def ids(self) -> list[str]:
        """Return all ids, oldest first."""
        return sorted(path.stem for path in self.folder.glob("*.json") if ID.fullmatch(path.stem))

    def has(self, checkpoint_id: str) -> bool:
        """Return whether a checkpoint of this id exists."""
        return bool(ID.fullmatch(checkpoint_id)) and (self.folder / f"{checkpoint_id}.json").is_file()

    def read(self, checkpoint_id: str) -> Manifest:
        """Read one checkpoint."""
        if not ID.fullmatch(checkpoint_id):
            raise CheckpointNotFoundError(checkpoint_id, self.root)
        place = self.folder / f"{checkpoint_id}.json"
        try:
            return Manifest.from_bytes(checkpoint_id, place.read_bytes())
        except FileNotFoundError:
            raise CheckpointNotFoundError(checkpoint_id, self.root) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointStoreError(
                f"Checkpoint {checkpoint_id} in {place} cannot be read: {error}. "
                "The files saved in it cannot be restored."
            ) from error

    def last(self) -> Manifest:
        """Return the latest checkpoint that can be read, or an empty one."""
        for checkpoint_id in reversed(self.ids()):
            try:
                return self.read(checkpoint_id)
            except CheckpointStoreError:
                continue
        return Manifest("", self.root, {})

    def without_others(self, checkpoint_id: str) -> Mapping[str, PathEntry]:
        """Return a workspace's state at a checkpoint without the changes that others made since the run began."""
        whole = self.read(checkpoint_id).entries
        try:
            return Manifest.from_bytes(checkpoint_id, (self.folder / f"{checkpoint_id}.ours").read_bytes()).entries
        except FileNotFoundError:
            return whole
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointStoreError(
                f"Checkpoint {checkpoint_id} in {self.folder} cannot be read: {error}. "
                "The files saved in it cannot be restored."
            ) from error

    def add(self, entries: Mapping[str, PathEntry], ours: Mapping[str, PathEntry] | None = None) -> str:
        """Write a checkpoint, with the part that belongs to the run if not all does; return its id."""
        newest = int(max(self.ids(), default="0-").partition("-")[0], 16)
        checkpoint_id = f"{max(time.time_ns(), newest + 1):016x}-{secrets.token_hex(3)}"
        if ours is not None and ours != entries:
            with store_errors(self.folder):
                write_atomically(
                    self.folder / f"{checkpoint_id}.ours",
                    Manifest(checkpoint_id, self.root, ours).to_bytes(),
                    sync=True,
                )
        self.write(Manifest(checkpoint_id, self.root, entries))
        return checkpoint_id

    def write(self, manifest: Manifest) -> None:
        """Write a checkpoint to the disk, durably."""
        with store_errors(self.folder):
            write_atomically(self.folder / f"{manifest.id}.json", manifest.to_bytes(), sync=True)
