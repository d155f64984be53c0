"""Find the nearest vectors by scanning all of them (exact search), in one thread.

With many vectors, a smaller form is scanned first, and then the likely vectors themselves. Up to two hundred
thousand the result is exact; above, the first pass compares their signs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .one_thread import one_thread
from .packed_vectors import PackedVectors, pack_vectors
from .sign_bits import SignBits, compute_signs

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Numbers, Scores
    from .checksums import CheckedMatrix
    from .hnsw.verified_graph import VerifiedGraph

# A first pass pays from MIN_PACKED vectors on. It compares signs from MAX_PACKED on, packed numbers below
# (tests/benchmarks/recall_speed.py).
MIN_PACKED, MAX_PACKED = 20_000, 200_000
# A first pass by signs selects 4,000 candidates or a hundredth of all vectors, whichever is more (estimate).
MIN_RERANKED, RERANKED_SHARE = 4_000, 100
# A first pass pays if an eighth of all vectors or more is searched, and if it leaves an eighth or less (estimate).
MAX_CANDIDATE_SHARE = 8
GRAPH_OVERSAMPLING = 4  # rows asked of a graph when only some scopes count (estimate)
FirstPass = PackedVectors | SignBits


@dataclass(frozen=True)
class VectorMatrix:
    """Vectors of length 1, a row each. ``mapped`` rows of a file are verified before use."""

    matrix: "Matrix"
    first_pass: FirstPass | None = None
    mapped: "CheckedMatrix | None" = None
    graph: "VerifiedGraph | None" = None

    def scores(self, vector: Sequence[float]) -> "Scores":
        """Return the cosine of each row and the vector."""
        one_thread()
        found: Scores = self.whole @ check_vector(vector, self.matrix.shape[1])
        return found

    def scores_of(self, rows: "Numbers", vector: Sequence[float]) -> "Scores":
        """Return the cosines of some rows and the vector."""
        one_thread()
        found: Scores = self.some(rows) @ check_vector(vector, self.matrix.shape[1])
        return found

    def nearest(self, vector: Sequence[float], most: int, among: "Numbers | None" = None) -> "tuple[Numbers, Scores]":
        """Return the nearest rows and their cosines, nearest first; only among some rows if these are given."""
        wanted = check_vector(vector, self.matrix.shape[1])
        one_thread()
        rows = self.nearest_by_graph(wanted, most, among)
        if rows is not None:
            return self.rank_exactly(wanted, most, rows)
        found = self.rank_exactly(wanted, most, self.select_candidates(wanted, most, among))
        if self.graph and among is None:
            self.graph.record_exact(wanted, found[0])
        return found

    def rank_exactly(self, wanted: "Scores", most: int, rows: "Numbers | None") -> "tuple[Numbers, Scores]":
        """Rank some rows, or all, by exact cosines."""
        scores = self.whole @ wanted if rows is None else self.some(rows) @ wanted
        best = top_positions(scores, most)
        return best if rows is None else rows[best], scores[best]

    def nearest_by_graph(self, wanted: "Scores", most: int, among: "Numbers | None") -> "Numbers | None":
        """Return the nearest rows by the graph, in order; None if there is no graph, or it found too few."""
        import numpy

        if self.graph is None:
            return None
        rows = self.graph.rows(wanted, most if among is None else GRAPH_OVERSAMPLING * most)
        if rows is None:
            return None
        found: Numbers = numpy.sort(rows if among is None else rows[numpy.isin(rows, among)])
        return found if len(found) >= most else None

    def select_candidates(self, vector: "Scores", most: int, among: "Numbers | None") -> "Numbers | None":
        """Return a superset of the nearest rows, in order; None means all rows."""
        size = len(self.matrix) if among is None else len(among)
        if self.first_pass is None or size < max(MIN_PACKED, len(self.matrix) // MAX_CANDIDATE_SHARE):
            return among
        estimates = self.first_pass.scores(vector) if among is None else self.first_pass.scores(vector)[among]
        if isinstance(self.first_pass, SignBits):
            places = top_positions(estimates, max(MIN_RERANKED, size // RERANKED_SHARE, most))
        else:
            places = self.within_margin(estimates, vector, most, among)
            if len(places) > size // MAX_CANDIDATE_SHARE:
                return among
        places.sort()
        return places if among is None else among[places]

    def within_margin(
        self, estimates: "NDArray[numpy.float32 | numpy.int16]", vector: "Scores", most: int, among: "Numbers | None"
    ) -> "Numbers":
        """Return the positions of the rows that may be nearer than the estimated best."""
        import numpy

        assert isinstance(self.first_pass, PackedVectors)
        estimated_best = top_positions(estimates, most)
        if not len(estimated_best):
            return estimated_best
        least = (self.some(estimated_best if among is None else among[estimated_best]) @ vector).min()
        found: Numbers = numpy.flatnonzero(estimates >= least - self.first_pass.margin)
        return found

    @property
    def whole(self) -> "Matrix":
        """All rows."""
        return self.mapped.whole if self.mapped else self.matrix

    def some(self, rows: "Numbers") -> "Matrix":
        """Return some rows."""
        return self.mapped.some(rows) if self.mapped else self.matrix[rows]


def with_first_pass(matrix: "Matrix") -> VectorMatrix:
    """Return vectors with the first pass that suits their number."""
    if len(matrix) < MIN_PACKED:
        return VectorMatrix(matrix)
    return VectorMatrix(matrix, pack_vectors(matrix) if len(matrix) <= MAX_PACKED else compute_signs(matrix))


def top_positions(scores: "NDArray[numpy.float32 | numpy.int16]", most: int) -> "Numbers":
    """Return the positions of the highest scores, highest first, the earlier first between equals."""
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
        raise ValueError(f"expected a vector of {dimensions} finite numbers, but got one of shape {found.shape}")
    return found


def matrix_of(vectors: Sequence[Sequence[float]]) -> "Matrix":
    """Return vectors as a matrix; raise ValueError for different lengths or invalid numbers."""
    import numpy

    found = numpy.array(vectors, numpy.float32)
    if found.ndim != 2 or not found.shape[1] or not numpy.isfinite(found).all():
        raise ValueError("an embedder returned vectors of different lengths, or with invalid numbers")
    return found


def stack_matrices(matrices: "Sequence[Matrix]") -> "Matrix":
    """Stack matrices vertically; raise ValueError if their widths differ."""
    import numpy

    return numpy.concatenate(matrices)
