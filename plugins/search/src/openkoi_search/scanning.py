"""Which vectors are nearest to another: all of them are looked at, in one thread.

Of many, a smaller likeness of each is looked at first, and the vectors themselves of those that may be among the
nearest. Up to two hundred thousand nothing is missed by it; above, their signs are the likeness. Knows matrices; knows
no file and no text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .one_thread import one_thread
from .packing import Packed, pack_vectors
from .signs import Signs, signs_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Numbers, Scores
    from .graphs import VectorGraph
    from .sums import Mapped

SEVERAL, MANY = 20_000, 200_000
RERANKED, SHARE = 4_000, 100
TOO_MANY = 8
SPREAD = 4
Likeness = Packed | Signs


@dataclass(frozen=True)
class Scanned:
    """Vectors of length 1, a row each. What is ``mapped`` from a file is checked before it is believed."""

    matrix: "Matrix"
    likeness: Likeness | None = None
    mapped: "Mapped | None" = None
    graph: "VectorGraph | None" = None

    def scores(self, vector: Sequence[float]) -> "Scores":
        """The cosine of each row and the vector."""
        one_thread()
        found: Scores = self.whole @ check_vector(vector, self.matrix.shape[1])
        return found

    def scores_of(self, rows: "Numbers", vector: Sequence[float]) -> "Scores":
        """The cosine of some rows and the vector."""
        one_thread()
        found: Scores = self.some(rows) @ check_vector(vector, self.matrix.shape[1])
        return found

    def nearest(self, vector: Sequence[float], most: int, among: "Numbers | None" = None) -> "tuple[Numbers, Scores]":
        """The nearest rows and their cosines, nearest first; only some rows when they are named."""
        wanted = check_vector(vector, self.matrix.shape[1])
        one_thread()
        rows = self.linked(wanted, most, among)
        if rows is not None:
            return self.ranked(wanted, most, rows)
        found = self.ranked(wanted, most, self.likely(wanted, most, among))
        if self.graph and among is None:
            self.graph.hear(wanted, found[0])
        return found

    def ranked(self, wanted: "Scores", most: int, rows: "Numbers | None") -> "tuple[Numbers, Scores]":
        """The nearest of some rows, or of all, by the vectors themselves."""
        scores = self.whole @ wanted if rows is None else self.some(rows) @ wanted
        best = top(scores, most)
        return best if rows is None else rows[best], scores[best]

    def linked(self, wanted: "Scores", most: int, among: "Numbers | None") -> "Numbers | None":
        """The nearest rows by the graph, in order; None without one, or when too few of them are wanted."""
        import numpy

        if self.graph is None:
            return None
        rows = self.graph.rows(wanted, most if among is None else SPREAD * most)
        if rows is None:
            return None
        found: Numbers = numpy.sort(rows if among is None else rows[numpy.isin(rows, among)])
        return found if len(found) >= most else None

    def likely(self, vector: "Scores", most: int, among: "Numbers | None") -> "Numbers | None":
        """The rows, in order, among which the nearest are; None when it may be any."""
        size = len(self.matrix) if among is None else len(among)
        if self.likeness is None or size < max(SEVERAL, len(self.matrix) // TOO_MANY):
            return among
        alike = self.likeness.scores(vector) if among is None else self.likeness.scores(vector)[among]
        if isinstance(self.likeness, Signs):
            places = top(alike, max(RERANKED, size // SHARE, most))
        else:
            places = self.near_enough(alike, vector, most, among)
            if len(places) > size // TOO_MANY:
                return among
        places.sort()
        return places if among is None else among[places]

    def near_enough(
        self, alike: "NDArray[numpy.float32 | numpy.int16]", vector: "Scores", most: int, among: "Numbers | None"
    ) -> "Numbers":
        """The places of those that may be nearer than the best seem to be."""
        import numpy

        assert isinstance(self.likeness, Packed)
        seem = top(alike, most)
        if not len(seem):
            return seem
        least = (self.some(seem if among is None else among[seem]) @ vector).min()
        found: Numbers = numpy.flatnonzero(alike >= least - self.likeness.margin)
        return found

    @property
    def whole(self) -> "Matrix":
        """All rows."""
        return self.mapped.whole if self.mapped else self.matrix

    def some(self, rows: "Numbers") -> "Matrix":
        """Some rows."""
        return self.mapped.some(rows) if self.mapped else self.matrix[rows]


def scannable(matrix: "Matrix") -> Scanned:
    """Vectors with the likeness that their number asks for."""
    if len(matrix) < SEVERAL:
        return Scanned(matrix)
    return Scanned(matrix, pack_vectors(matrix) if len(matrix) <= MANY else signs_of(matrix))


def top(scores: "NDArray[numpy.float32 | numpy.int16]", most: int) -> "Numbers":
    """The places of the highest scores, highest first, the earlier before the later."""
    import numpy

    most = min(most, len(scores))
    if most <= 0:
        return numpy.zeros(0, numpy.int64)
    chosen = numpy.sort(numpy.argpartition(scores, len(scores) - most)[len(scores) - most :])
    found: Numbers = chosen[numpy.argsort(-scores[chosen], kind="stable")]
    return found


def check_vector(vector: Sequence[float], dimensions: int) -> "Scores":
    """Return the vector of a query; raise ValueError when it cannot be compared."""
    import numpy

    found = numpy.asarray(vector, numpy.float32)
    if found.shape != (dimensions,) or not numpy.isfinite(found).all():
        raise ValueError(f"a vector of {dimensions} finite numbers was wanted, and one of {found.shape} came")
    return found


def matrix_of(vectors: Sequence[Sequence[float]]) -> "Matrix":
    """Return vectors as a matrix; raise ValueError for different lengths or invalid numbers."""
    import numpy

    found = numpy.array(vectors, numpy.float32)
    if found.ndim != 2 or not found.shape[1] or not numpy.isfinite(found).all():
        raise ValueError("an embedder returned vectors of different lengths, or with invalid numbers")
    return found


def stack_matrices(matrices: "Sequence[Matrix]") -> "Matrix":
    """Return matrices one below the other; raise ValueError when their widths differ."""
    import numpy

    return numpy.concatenate(matrices)
