"""Store the graph in a file, with the metadata that it is checked against."""

import json
import os
from dataclasses import asdict, dataclass
from hashlib import blake2b, file_digest
from pathlib import Path

from openkoi_base.files.private_files import write_atomically

from .graph import HnswGraph, load_graph


@dataclass(frozen=True, slots=True)
class IndexMetadata:
    """The expected properties of a file, and the facts about its graph; no digest means that there is no file."""

    mark: str
    rows: int
    dimensions: int
    size: int
    digest: str
    wide: int
    recall: float


@dataclass(frozen=True, slots=True)
class GraphFile:
    """The location of a state's graph."""

    path: Path
    mark: str

    @property
    def metadata_path(self) -> Path:
        """The file of the metadata."""
        return self.path.with_name(f"{self.path.name}.json")

    def read_metadata(self) -> IndexMetadata | None:
        """Return the metadata, if it belongs to this state."""
        try:
            metadata = IndexMetadata(**json.loads(self.metadata_path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        return metadata if metadata.mark == self.mark else None

    def load(self, metadata: IndexMetadata) -> HnswGraph | None:
        """Return the graph, or None if the file does not match the metadata."""
        try:
            if self.path.stat().st_size != metadata.size or digest_of(self.path) != metadata.digest:
                return None
            graph = load_graph(self.path, metadata.rows, metadata.dimensions)
        except (OSError, RuntimeError):
            return None
        graph.widen(metadata.wide)
        return graph

    def save(self, graph: HnswGraph, recall: float) -> None:
        """Save a graph, whose file hnswlib itself writes; raise OSError when there is not enough room."""
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            fresh.touch(mode=0o600)
            graph.index.save_index(str(fresh))
            sync_file(fresh)
            size = graph.index.index_file_size()
            if fresh.stat().st_size != size:
                raise OSError("the disk is full: not all bytes were written")
            digest = digest_of(fresh)
            fresh.replace(self.path)
        finally:
            fresh.unlink(missing_ok=True)
        self.write_metadata(IndexMetadata(self.mark, graph.size, graph.dimensions, size, digest, graph.wide, recall))

    def mark_unusable(self, rows: int, dimensions: int, recall: float) -> None:
        """Record that a graph over this state has too low a recall, so that it is not built again."""
        self.path.unlink(missing_ok=True)
        self.write_metadata(IndexMetadata(self.mark, rows, dimensions, 0, "", 0, recall))

    def write_metadata(self, metadata: IndexMetadata) -> None:
        """Write the metadata."""
        write_atomically(self.metadata_path, json.dumps(asdict(metadata)).encode(), sync=True)


def sync_file(path: Path) -> None:
    """Flush a file to disk; raise OSError when that fails."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def digest_of(path: Path) -> str:
    """Return the digest of a file."""
    with path.open("rb") as file:
        return file_digest(file, blake2b).hexdigest()
