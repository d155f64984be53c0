"""Store contents by SHA-256, each once, however many checkpoints and workspaces contain them."""

import os
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import private_folder, write_atomically
from openkoi_hookspecs.lazy_dataclass import dataclass

from .errors import CheckpointStoreError, store_errors


def compute_digest(data: bytes) -> str:
    """Return the SHA-256 of the bytes, which is their name in the store."""
    return sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class BlobStore:
    """Store blobs in a folder, spread over 256 subfolders."""

    folder: Path

    def path_of(self, name: str) -> Path:
        """Return the path of a blob."""
        return self.folder / name[:2] / name[2:]

    def put(self, data: bytes) -> str:
        """Store bytes and return their name.

        A blob of another length was truncated by a crash and is rewritten. The time of an existing blob is renewed, so
        that pruning keeps what was just stored.
        """
        name = compute_digest(data)
        place = self.path_of(name)
        if file_size(place) == len(data):
            os.utime(place)
        else:
            with store_errors(self.folder):
                write_atomically(private_folder(place.parent) / place.name, data)
        return name

    def get(self, name: str) -> bytes:
        """Read a blob; raise CheckpointStoreError when it is missing or damaged."""
        try:
            data = self.path_of(name).read_bytes()
        except OSError as error:
            raise CheckpointStoreError(
                f"A file cannot be restored, because the checkpoint store has lost its content: {error}."
            ) from error
        if compute_digest(data) != name:
            raise CheckpointStoreError(
                f"The checkpoint file {self.path_of(name)} is damaged. The file saved in it cannot be restored."
            )
        return data


def file_size(path: Path) -> int:
    """Return the size of a file, -1 if it does not exist."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
