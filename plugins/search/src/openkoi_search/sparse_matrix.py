"""Store vectors that are mostly empty, such as hashed words: only their values, a list a dimension."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .exact_search import check_vector

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Numbers, Scores

    Rows: TypeAlias = NDArray[numpy.int32]

MIN_EMPTY_SHARE = 0.75  # below that, lists are neither smaller nor faster (estimate)


@dataclass(frozen=True, slots=True)
class SparseMatrix:
    """``size`` vectors of length 1; ``starts`` locates the ``rows`` and ``values`` of each dimension."""

    size: int
    starts: "Numbers"
    rows: "Rows"
    values: "Scores"

    def scores(self, vector: Sequence[float]) -> "Scores":
        """Return the cosine of each row and the vector."""
        import numpy

        wanted = check_vector(vector, len(self.starts) - 1)
        present = numpy.flatnonzero(wanted)
        parts = [slice(*self.starts[place : place + 2].tolist()) for place in present]
        if not parts:
            return numpy.zeros(self.size, numpy.float32)
        rows = numpy.concatenate([self.rows[part] for part in parts])
        products = numpy.concatenate(
            [self.values[part] * wanted[place] for part, place in zip(parts, present, strict=True)]
        )
        return numpy.bincount(rows, products, self.size).astype(numpy.float32)


def is_sparse(matrix: "Matrix") -> bool:
    """Return whether most of a matrix is empty."""
    import numpy

    return int(numpy.count_nonzero(matrix)) < (1 - MIN_EMPTY_SHARE) * matrix.size


def make_sparse(matrices: "Iterable[Matrix]") -> SparseMatrix:
    """Convert matrices, one below the other, to lists."""
    import numpy

    rows, places, values, size, dimensions = [], [], [], 0, 0
    for matrix in matrices:
        where, which = numpy.nonzero(matrix)
        rows.append((where + size).astype(numpy.int32))
        places.append(which.astype(numpy.int32))
        values.append(matrix[where, which])
        size, dimensions = size + len(matrix), matrix.shape[1]
    column = numpy.concatenate(places)
    order = numpy.argsort(column, kind="stable")
    starts = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(column, minlength=dimensions))])
    return SparseMatrix(size, starts, numpy.concatenate(rows)[order], numpy.concatenate(values)[order])
