"""The nearest of very many vectors, by a graph (hnswlib) that is checked, measured, and given up when it finds less."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_search.bm25 import Matrix

    from .guarded import Guarded

__all__ = ["graph_of"]


def graph_of(path: Path, mark: str, matrix: "Matrix") -> "Guarded":
    """A graph over vectors, kept beside their file; who asks often has it built meanwhile.

    Raises ImportError when hnswlib is not installed.
    """
    if find_spec("hnswlib") is None:
        raise ImportError("hnswlib is missing: pip install 'openkoi-hnsw[hnswlib]', with a C++ compiler")
    from .guarded import Guarded
    from .kept import GraphFile

    return Guarded(GraphFile(path.with_name(f"{path.name}.hnsw"), mark), matrix)
