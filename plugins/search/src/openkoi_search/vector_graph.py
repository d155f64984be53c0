"""Open a graph index over very many vectors, which an optional plugin provides.

An entry point of the group ``openkoi_search.graphs`` is called with the path of the vector file, the mark of its state
and the vectors. The rows that the graph returns are ranked by exact cosines; without an answer all vectors are scanned.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from .bm25 import Matrix, Numbers, Scores

ENTRY_POINT_GROUP = "openkoi_search.graphs"
# Below that, a scan is as fast as a graph (see tests/benchmarks/recall_speed.py).
GRAPH_MIN_VECTORS = 50_000


class VectorGraph(Protocol):
    """A graph that finds similar rows."""

    def rows(self, vector: "Scores", most: int) -> "Numbers | None":
        """Return ``most`` of the nearest rows or more; None without a graph that is accurate enough."""

    def record_exact(self, vector: "Scores", nearest: "Numbers") -> None:
        """Record the exact result of a query that was answered without it, to measure recall."""


class GraphFactory(Protocol):
    """The factory that an entry point names."""

    def __call__(self, path: Path, mark: str, matrix: "Matrix") -> VectorGraph:
        """Return a graph over vectors, which may be built or loaded later; ``path`` is the vector file."""


def open_graph(path: Path, mark: str, matrix: "Matrix") -> VectorGraph | None:
    """Return an installed plugin's graph, or None without point or when a scan is as fast."""
    if len(matrix) <= GRAPH_MIN_VECTORS:
        return None
    from importlib.metadata import entry_points

    try:
        found = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name)
        return cast(GraphFactory, found[0].load())(path, mark, matrix) if found else None  # entry points are untyped
    except Exception as error:  # a graph is a plugin: vectors are scanned without it
        logging.getLogger("openkoi").warning("The vector graph failed (%s); scanning all vectors instead.", error)
        return None
