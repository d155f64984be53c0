"""Open a graph index over very many vectors, if hnswlib is installed.

The rows that the graph returns are ranked by exact cosines; without an answer all vectors are scanned.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bm25 import Matrix
    from .hnsw.verified_graph import VerifiedGraph

# Below that, a scan is as fast as a graph (see tests/benchmarks/recall_speed.py).
GRAPH_MIN_VECTORS = 50_000


def open_graph(path: Path, mark: str, matrix: "Matrix") -> "VerifiedGraph | None":
    """Return the graph stored next to a file of vectors; None without hnswlib, or if a scan is as fast.

    ``mark`` is the state of the file, for which a stored graph was built.
    """
    if len(matrix) <= GRAPH_MIN_VECTORS or find_spec("hnswlib") is None:
        return None
    from .hnsw import graph_of

    return graph_of(path, mark, matrix)
