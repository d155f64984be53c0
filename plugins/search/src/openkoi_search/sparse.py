"""Vectors that are mostly empty, as hashed words are: only what is in them is held, a list a dimension.

Knows columns; knows no text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .scanning import check_vector

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Numbers, Scores

    Rows: TypeAlias = NDArray[numpy.int32]

EMPTY = 0.75


@dataclass(frozen=True, slots=True)
class Sparse:
    """``starts`` says where the ``rows`` and ``values`` of a dimension begin, of ``size`` vectors of length 1."""

    size: int
    starts: "Numbers"
    rows: "Rows"
    values: "Scores"

    def scores(self, vector: Sequence[float]) -> "Scores":
        """The cosine of each row and the vector."""
        import numpy

        wanted = check_vector(vector, len(self.starts) - 1)
        there = numpy.flatnonzero(wanted)
        parts = [slice(*self.starts[place : place + 2].tolist()) for place in there]
        if not parts:
            return numpy.zeros(self.size, numpy.float32)
        rows = numpy.concatenate([self.rows[part] for part in parts])
        worth = numpy.concatenate([self.values[part] * wanted[place] for part, place in zip(parts, there, strict=True)])
        return numpy.bincount(rows, worth, self.size).astype(numpy.float32)


def is_sparse(matrix: "Matrix") -> bool:
    """Whether most of a matrix is empty."""
    import numpy

    return int(numpy.count_nonzero(matrix)) < (1 - EMPTY) * matrix.size


def sparse(matrices: "Iterable[Matrix]") -> Sparse:
    """Put matrices, one under the other, into lists."""
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
    return Sparse(size, starts, numpy.concatenate(rows)[order], numpy.concatenate(values)[order])
