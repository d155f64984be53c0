"""The checkpoints of one workspace, oldest first by name. Knows their files; knows nothing of what is in them."""

import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from openkoi_files import private_folder

from .errors import NoCheckpoint, StoreFault
from .manifest import Entry, Manifest
from .private import writable, write_whole

ID = re.compile(r"[0-9a-f]{16}-[0-9a-f]{6}")


def history_of(root: Path, folder: Path) -> "History":
    """Open the history of a workspace below the store's folder."""
    name = sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return History(private_folder(folder / "workspaces" / name), str(root))


@dataclass(frozen=True, slots=True)
class History:
    """A folder with one file a checkpoint, named so that the latest sorts last."""

    folder: Path
    root: str

    def ids(self) -> list[str]:
        """All ids, oldest first."""
        return sorted(path.stem for path in self.folder.glob("*.json") if ID.fullmatch(path.stem))

    def has(self, id: str) -> bool:
        """Whether there is a checkpoint of this id."""
        return bool(ID.fullmatch(id)) and (self.folder / f"{id}.json").is_file()

    def read(self, id: str) -> Manifest:
        """Read one checkpoint."""
        if not ID.fullmatch(id):
            raise NoCheckpoint(id, self.root)
        place = self.folder / f"{id}.json"
        try:
            return Manifest.read(id, place.read_bytes())
        except FileNotFoundError:
            raise NoCheckpoint(id, self.root) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreFault(f"Checkpoint {id} in {place} cannot be read: {error}. Take a new one.") from error

    def last(self) -> Manifest:
        """How the workspace was left by us: the latest checkpoint that can be read, else nothing at all."""
        for id in reversed(self.ids()):
            try:
                return self.read(id)
            except StoreFault:
                continue
        return Manifest("", self.root, {})

    def ours(self, id: str) -> Mapping[str, Entry]:
        """How a workspace would be at a checkpoint had nobody else changed it since the run began."""
        whole = self.read(id).entries
        try:
            return Manifest.read(id, (self.folder / f"{id}.ours").read_bytes()).entries
        except FileNotFoundError:
            return whole
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreFault(f"Checkpoint {id} in {self.folder} cannot be read: {error}.") from error

    def add(self, entries: Mapping[str, Entry], ours: Mapping[str, Entry] | None = None) -> str:
        """Write a new latest checkpoint, and what of it is ours if that is not all; return its id."""
        newest = int(max(self.ids(), default="0-").partition("-")[0], 16)
        id = f"{max(time.time_ns(), newest + 1):016x}-{secrets.token_hex(3)}"
        if ours is not None and ours != entries:
            with writable(self.folder):
                write_whole(self.folder / f"{id}.ours", Manifest(id, self.root, ours).written(), sync=True)
        self.write(Manifest(id, self.root, entries))
        return id

    def write(self, manifest: Manifest) -> None:
        """Put a checkpoint on the disk, durably."""
        with writable(self.folder):
            write_whole(self.folder / f"{manifest.id}.json", manifest.written(), sync=True)
