"""The content store: bytes by their SHA-256, each once, however many checkpoints and workspaces hold them."""

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from openkoi_files import private_folder

from .errors import StoreFault
from .private import writable, write_whole


def digest(data: bytes) -> str:
    """Name bytes by what they are."""
    return sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Blobs:
    """A folder of blobs, spread over 256 folders."""

    folder: Path

    def place(self, name: str) -> Path:
        """Where a blob lies."""
        return self.folder / name[:2] / name[2:]

    def put(self, data: bytes) -> str:
        """Keep bytes; return their name. One of another length was cut off by a crash, and is written anew.

        One that is there already becomes young again, so that nothing of what was just put is pruned.
        """
        name = digest(data)
        place = self.place(name)
        if size_of(place) == len(data):
            os.utime(place)
        else:
            with writable(self.folder):
                write_whole(private_folder(place.parent) / place.name, data)
        return name

    def get(self, name: str) -> bytes:
        """Read bytes back; what is not what was kept is never handed out."""
        try:
            data = self.place(name).read_bytes()
        except OSError as error:
            raise StoreFault(f"The checkpoint store lost a file's content: {error}. It cannot be restored.") from error
        if digest(data) != name:
            raise StoreFault(f"The checkpoint store's {self.place(name)} is damaged. Its file cannot be restored.")
        return data


def size_of(path: Path) -> int:
    """The size of a file, -1 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
