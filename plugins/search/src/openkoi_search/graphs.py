"""A graph over very many vectors, which whoever installs it brings: a shorter way than looking at all of them.

An entry point of the group ``openkoi_search.graphs`` is called with the file that the vectors are kept in, the mark of
their state and the vectors. What its graph answers is ranked by the vectors themselves, and where it has no answer all
are looked at. Knows that there may be one; knows none.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from .bm25 import Matrix, Numbers, Scores

GROUP = "openkoi_search.graphs"
ABOVE = 50_000


class VectorGraph(Protocol):
    """A graph that finds similar rows."""

    def rows(self, vector: "Scores", most: int) -> "Numbers | None":
        """The nearest rows, most of them at least; None while it has no graph, or none that can be trusted."""

    def hear(self, vector: "Scores", nearest: "Numbers") -> None:
        """Record the exact result of a query that was answered without it, to measure recall."""


class GraphOf(Protocol):
    """What an entry point names."""

    def __call__(self, path: Path, mark: str, matrix: "Matrix") -> VectorGraph:
        """A graph over vectors, which may be built or read later; ``path`` is the file that they are kept in."""


def graph_over(path: Path, mark: str, matrix: "Matrix") -> VectorGraph | None:
    """Return an installed plugin's graph, or None without one or when a scan is as fast."""
    if len(matrix) <= ABOVE:
        return None
    from importlib.metadata import entry_points

    try:
        found = sorted(entry_points(group=GROUP), key=lambda one: one.name)
        return cast(GraphOf, found[0].load())(path, mark, matrix) if found else None  # entry points say no types
    except Exception as error:  # a graph is a plugin: vectors are scanned without it
        logging.getLogger("openkoi").warning("Vectors are looked at one by one: the graph failed (%s).", error)
        return None
