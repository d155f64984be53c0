"""The graph in a file, and beside it what the file has to be: nothing is loaded that was not checked before.

Written beside and then renamed; what the file should be like is written after it. So one that is cut, torn, damaged or
of another state is known before hnswlib sees it, and is built again.
"""

import json
import os
from dataclasses import asdict, dataclass
from hashlib import blake2b, file_digest
from pathlib import Path

from .graph import Graph, loaded


@dataclass(frozen=True, slots=True)
class Told:
    """What a file should be, and what was found out about its graph. Without a digest there is none."""

    mark: str
    rows: int
    dimensions: int
    size: int
    digest: str
    wide: int
    recall: float


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the graph of a state lies."""

    path: Path
    mark: str

    @property
    def beside(self) -> Path:
        """Where it says what the file should be."""
        return self.path.with_name(f"{self.path.name}.json")

    def told(self) -> Told | None:
        """What the file should be, if it is of this state."""
        try:
            told = Told(**json.loads(self.beside.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        return told if told.mark == self.mark else None

    def load(self, told: Told) -> Graph | None:
        """The graph; None when the file is not what it should be."""
        try:
            if self.path.stat().st_size != told.size or digest_of(self.path) != told.digest:
                return None
            graph = loaded(self.path, told.rows, told.dimensions)
        except (OSError, RuntimeError):
            return None
        graph.widen(told.wide)
        return graph

    def save(self, graph: Graph, recall: float) -> None:
        """Keep a graph; raises OSError when there is no room for all of it."""
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            fresh.touch(mode=0o600)
            graph.index.save_index(str(fresh))
            synced(fresh)
            size = graph.index.index_file_size()
            if fresh.stat().st_size != size:
                raise OSError("the disk took less than it was given")
            digest = digest_of(fresh)
            fresh.replace(self.path)
        finally:
            fresh.unlink(missing_ok=True)
        self.tell(Told(self.mark, graph.size, graph.dimensions, size, digest, graph.wide, recall))

    def refuse(self, rows: int, dimensions: int, recall: float) -> None:
        """Keep in mind that a graph over this state finds too little, so that nobody builds it again."""
        self.path.unlink(missing_ok=True)
        self.tell(Told(self.mark, rows, dimensions, 0, "", 0, recall))

    def tell(self, told: Told) -> None:
        """Write down what the file should be."""
        fresh = self.beside.with_name(f".{self.beside.name}.{os.getpid()}")
        try:
            fresh.write_text(json.dumps(asdict(told)))
            synced(fresh)
            fresh.replace(self.beside)
        finally:
            fresh.unlink(missing_ok=True)


def synced(path: Path) -> None:
    """Have the disk confirm a file; raises OSError when it cannot."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def digest_of(path: Path) -> str:
    """What tells a file from every other."""
    with path.open("rb") as file:
        return file_digest(file, blake2b).hexdigest()
