"""Vectors, two in the room of one: a first look at all that reads half as much, and leaves few to look at again.

Coordinates are rounded to small whole numbers, and one number holds those of two vectors: ``v = low + STEP * high``.
Sums of such products keep the two apart for as long as none of them leaves a range, and float32 holds all of it
exactly. So one multiplication tells two cosines, each wrong by less than ``margin``, which is measured when the numbers
are packed. Knows matrices; knows no file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from .sums import Late

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Scores

RANGE = 2_895
STEP = 2 * RANGE + 1
LENGTH = sqrt(RANGE)
SAMPLE = 4_096
TRIES = 24
SURE = 6.5
BEYOND = 1.4
TOGETHER = 4_096


@dataclass(frozen=True, slots=True)
class Packed:
    """A column for two vectors, a row a dimension: the first half of the vectors, and with it the second.

    ``scale`` is what coordinates were multiplied by, ``size`` how many vectors there are. What is of a file has a sum.
    """

    columns: "Matrix"
    scale: float
    margin: float
    size: int
    late: Late | None = None

    def scores(self, vector: "Scores") -> "Scores":
        """The cosine of each vector and another, or nearly."""
        import numpy

        if self.late:
            self.late.check(self.columns, "first look")
        asked, scale = round_rows(vector[None, :])
        both = asked[0] @ self.columns
        high = numpy.rint(both * numpy.float32(1 / STEP))
        low = both - high * numpy.float32(STEP)
        found: Scores = numpy.concatenate([low, high])[: self.size]
        found *= numpy.float32(1 / (scale * self.scale))
        return found


def pack_vectors(matrix: "Matrix") -> Packed:
    """Pack vectors in batches, and measure the error of the cosines."""
    import numpy

    size, dimensions = matrix.shape
    half = -(-size // 2)
    scale = min((round_rows(part)[1] for part in parts(matrix)), default=1.0)
    columns = numpy.zeros((dimensions, half), numpy.float32)
    for start in range(0, half, TOGETHER):
        end = min(start + TOGETHER, half)
        columns[:, start:end] = numpy.rint(matrix[start:end] * scale).T
        others = matrix[half + start : half + end]
        columns[:, start : start + len(others)] += STEP * numpy.rint(others * scale).T
    found = Packed(columns, float(scale), 0.0, size)
    return Packed(columns, float(scale), margin(found, matrix), size)


def parts(matrix: "Matrix") -> "Sequence[Matrix]":
    """A matrix in pieces."""
    return [matrix[start : start + TOGETHER] for start in range(0, len(matrix), TOGETHER)]


def round_rows(rows: "Matrix") -> "tuple[Matrix, float]":
    """Return rows as whole numbers within the range of sums, and the factor they were multiplied by."""
    import numpy

    longest = float(numpy.sqrt((rows * rows).sum(axis=1)).max(initial=0.0))
    scale = LENGTH / longest if longest else 1.0
    while True:
        found = numpy.rint(rows * numpy.float32(scale))
        longest = float(numpy.sqrt((found * found).sum(axis=1)).max(initial=0.0))
        if longest <= LENGTH:
            return found, scale
        scale *= min(LENGTH / longest, 0.999)


def margin(one: Packed, matrix: "Matrix") -> float:
    """How wrong a cosine may be: of vectors as they are, of others between them, and of some from anywhere."""
    import numpy

    chance = numpy.random.default_rng(len(matrix))
    rows = numpy.sort(chance.choice(one.size, min(SAMPLE, one.size), replace=False))
    known = matrix[chance.choice(one.size, TRIES)]
    strange = chance.standard_normal(known.shape, numpy.float32) / sqrt(matrix.shape[1])
    wrong = [errors(one, matrix, rows, asked) for asked in (*known, *(known + strange / 2), *strange)]
    return float(max(SURE * max(map(numpy.std, wrong)), BEYOND * max(numpy.abs(one).max() for one in wrong)))


def errors(one: Packed, matrix: "Matrix", rows: "NDArray[numpy.int64]", asked: "Scores") -> "Scores":
    """How far these rows' cosines are from what they should be, for a question of length 1."""
    import numpy

    wanted = asked / max(float(numpy.sqrt(asked @ asked)), 1e-9)
    found: Scores = one.scores(wanted)[rows] - matrix[rows] @ wanted
    return found
