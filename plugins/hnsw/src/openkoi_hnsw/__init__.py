"""Find nearest vectors with a graph (hnswlib) that is verified, measured, and dropped if its recall is too low."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_search.bm25 import Matrix

    from .verified_graph import VerifiedGraph

__all__ = ["graph_of"]


def graph_of(path: Path, mark: str, matrix: "Matrix") -> "VerifiedGraph":
    """Return a graph over vectors, stored beside their file; frequent queries have it built in the background.

    Raise ImportError when hnswlib is not installed.
    """
    if find_spec("hnswlib") is None:
        raise ImportError(
            "hnswlib is not installed. Run `pip install 'openkoi-hnsw[hnswlib]'`; it needs a C++ compiler."
        )
    from .graph_file import GraphFile
    from .verified_graph import VerifiedGraph

    return VerifiedGraph(GraphFile(path.with_name(f"{path.name}.hnsw"), mark), matrix)
