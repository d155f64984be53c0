"""Find nearest vectors with a graph (hnswlib) that is verified, measured, and dropped if its recall is too low."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..bm25 import Matrix
    from .verified_graph import VerifiedGraph

__all__ = ["graph_of"]


def graph_of(path: Path, mark: str, matrix: "Matrix") -> "VerifiedGraph":
    """Return a graph over vectors, stored next to their file; it is built in the background if queries are frequent."""
    from .graph_file import GraphFile
    from .verified_graph import VerifiedGraph

    return VerifiedGraph(GraphFile(path.with_name(f"{path.name}.hnsw"), mark), matrix)
