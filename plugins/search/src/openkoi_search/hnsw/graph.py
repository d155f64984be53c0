"""Wrap hnswlib: serialize access, and reject input that it cannot handle."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..bm25 import Matrix, Numbers, Scores

LINKS, BUILD_WIDTH, SEED = 16, 200, 7  # M and ef_construction, hnswlib's defaults
BATCH_ROWS = 500


class HnswIndex(Protocol):
    """The part of hnswlib's untyped index that is used."""

    def add_items(self, data: "Matrix", ids: "Numbers", num_threads: int) -> None:
        """Add vectors."""

    def knn_query(self, data: "Matrix", k: int, num_threads: int) -> "tuple[Numbers, Matrix]":
        """Return the labels and distances of the nearest vectors, one row per query."""

    def set_ef(self, ef: int) -> None:
        """Set how many candidates a search examines."""

    def save_index(self, path: str) -> None:
        """Write to a file; a full disk is not reported."""

    def index_file_size(self) -> int:
        """Return the size that the file will have."""

    def init_index(self, max_elements: int, M: int, ef_construction: int, random_seed: int) -> None:
        """Start an empty index."""

    def load_index(self, path: str, max_elements: int) -> None:
        """Read a valid file."""


class BuildStoppedError(Exception):
    """The graph is no longer needed."""


@dataclass(slots=True)
class HnswGraph:
    """A graph over ``size`` vectors of ``dimensions``; ``wide`` is how many candidates a search examines."""

    index: HnswIndex
    size: int
    dimensions: int
    wide: int = 0
    lock: Lock = field(default_factory=Lock)

    def widen(self, wide: int) -> None:
        """Set how many candidates a search examines."""
        self.wide = wide
        self.index.set_ef(wide)

    def rows(self, vector: "Scores", most: int) -> "Numbers | None":
        """Return the nearest rows, nearest first; None if the search failed."""
        import numpy

        if vector.shape != (self.dimensions,) or not numpy.isfinite(vector).all() or most > self.wide:
            return None
        with self.lock:
            try:
                labels, _ = self.index.knn_query(vector[None, :], k=min(most, self.size), num_threads=1)
            except RuntimeError:  # it found fewer than requested
                return None
        found: Numbers = labels[0].astype(numpy.int64)
        return found


def make_index(dimensions: int) -> HnswIndex:
    """Return an index without vectors."""
    import hnswlib  # type: ignore[import-untyped]  # it brings no types

    made: HnswIndex = hnswlib.Index(space="ip", dim=dimensions)
    return made


def build_graph(matrix: "Matrix", stopped: Callable[[], bool]) -> HnswGraph:
    """Build a graph over vectors; raise ValueError for invalid numbers, BuildStoppedError when stopped."""
    import numpy

    index = make_index(matrix.shape[1])
    index.init_index(max_elements=len(matrix), M=LINKS, ef_construction=BUILD_WIDTH, random_seed=SEED)
    for start in range(0, len(matrix), BATCH_ROWS):
        if stopped():
            raise BuildStoppedError
        part = numpy.array(matrix[start : start + BATCH_ROWS])
        if not numpy.isfinite(part).all():
            raise ValueError("a vector contains an invalid number")
        index.add_items(part, numpy.arange(start, start + len(part)), num_threads=1)
    return HnswGraph(index, *matrix.shape)


def load_graph(path: Path, size: int, dimensions: int) -> HnswGraph:
    """Return a graph from a checked file."""
    index = make_index(dimensions)
    index.load_index(str(path), max_elements=size)
    return HnswGraph(index, size, dimensions)
