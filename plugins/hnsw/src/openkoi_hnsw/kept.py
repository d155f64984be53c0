"""Store the graph in a file, with the metadata that it is checked against."""

import json
import os
from dataclasses import asdict, dataclass
from hashlib import blake2b, file_digest
from pathlib import Path

from .graph import HnswGraph, load_graph


@dataclass(frozen=True, slots=True)
class IndexMetadata:
    """What a file should be, and what is known about its graph; without a digest there is none."""

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
    def beside(self) -> Path:
        """Where it says what the file should be."""
        return self.path.with_name(f"{self.path.name}.json")

    def read_metadata(self) -> IndexMetadata | None:
        """Return what the file should be, if it belongs to this state."""
        try:
            told = IndexMetadata(**json.loads(self.beside.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        return told if told.mark == self.mark else None

    def load(self, told: IndexMetadata) -> HnswGraph | None:
        """The graph; None when the file is not what it should be."""
        try:
            if self.path.stat().st_size != told.size or digest_of(self.path) != told.digest:
                return None
            graph = load_graph(self.path, told.rows, told.dimensions)
        except (OSError, RuntimeError):
            return None
        graph.widen(told.wide)
        return graph

    def save(self, graph: HnswGraph, recall: float) -> None:
        """Save a graph; raise OSError when there is not enough room."""
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            fresh.touch(mode=0o600)
            graph.index.save_index(str(fresh))
            sync_file(fresh)
            size = graph.index.index_file_size()
            if fresh.stat().st_size != size:
                raise OSError("the disk took less than it was given")
            digest = digest_of(fresh)
            fresh.replace(self.path)
        finally:
            fresh.unlink(missing_ok=True)
        self.tell(IndexMetadata(self.mark, graph.size, graph.dimensions, size, digest, graph.wide, recall))

    def refuse(self, rows: int, dimensions: int, recall: float) -> None:
        """Remember that a graph over this state finds too little, so that it is not built again."""
        self.path.unlink(missing_ok=True)
        self.tell(IndexMetadata(self.mark, rows, dimensions, 0, "", 0, recall))

    def tell(self, told: IndexMetadata) -> None:
        """Write down what the file should be."""
        fresh = self.beside.with_name(f".{self.beside.name}.{os.getpid()}")
        try:
            fresh.write_text(json.dumps(asdict(told)))
            sync_file(fresh)
            fresh.replace(self.beside)
        finally:
            fresh.unlink(missing_ok=True)


def sync_file(path: Path) -> None:
    """Flush a file to disk; raise OSError when that fails."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def digest_of(path: Path) -> str:
    """What tells a file from every other."""
    with path.open("rb") as file:
        return file_digest(file, blake2b).hexdigest()
