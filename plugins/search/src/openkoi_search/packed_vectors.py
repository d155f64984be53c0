"""Quantize vectors and pack two in a number: the first pass reads half as much, and few need an exact comparison.

Coordinates are rounded to small whole numbers, and one number holds those of two vectors: ``v = low + STEP * high``.
Sums of such products keep the two apart while none of them leaves a range, and float32 represents all of it exactly.
So one multiplication yields two cosines, each with an error below ``margin``, which is measured while packing.
"""

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from .checksums import LazyChecksum

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .bm25 import Matrix, Scores

RANGE = 2_895  # the largest for which products of two packed numbers stay exact in float32
STEP = 2 * RANGE + 1
MAX_LENGTH = sqrt(RANGE)
SAMPLE_ROWS = 4_096
SAMPLE_QUERIES = 24
# The margin of error is 6.5 standard deviations or 1.4 times the sample's largest error, whichever is more (estimate).
MARGIN_DEVIATIONS = 6.5
MARGIN_FACTOR = 1.4
BATCH_ROWS = 4_096


@dataclass(frozen=True, slots=True)
class PackedVectors:
    """Packed vectors, one row per dimension; each column holds a vector of the first half and one of the second."""

    columns: "Matrix"
    scale: float
    margin: float
    size: int
    checksum: LazyChecksum | None = None

    def scores(self, vector: "Scores") -> "Scores":
        """Return the approximate cosine of each vector and another."""
        import numpy

        if self.checksum:
            self.checksum.check(self.columns, "first look")
        asked, scale = round_rows(vector[None, :])
        both = asked[0] @ self.columns
        high = numpy.rint(both * numpy.float32(1 / STEP))
        low = both - high * numpy.float32(STEP)
        found: Scores = numpy.concatenate([low, high])[: self.size]
        found *= numpy.float32(1 / (scale * self.scale))
        return found


def pack_vectors(matrix: "Matrix") -> PackedVectors:
    """Pack vectors in batches, and measure the error of the cosines."""
    import numpy

    size, dimensions = matrix.shape
    half = -(-size // 2)
    scale = min((round_rows(part)[1] for part in split_batches(matrix)), default=1.0)
    columns = numpy.zeros((dimensions, half), numpy.float32)
    for start in range(0, half, BATCH_ROWS):
        end = min(start + BATCH_ROWS, half)
        columns[:, start:end] = numpy.rint(matrix[start:end] * scale).T
        others = matrix[half + start : half + end]
        columns[:, start : start + len(others)] += STEP * numpy.rint(others * scale).T
    found = PackedVectors(columns, float(scale), 0.0, size)
    return PackedVectors(columns, float(scale), measure_margin(found, matrix), size)


def split_batches(matrix: "Matrix") -> "Sequence[Matrix]":
    """Split a matrix into batches."""
    return [matrix[start : start + BATCH_ROWS] for start in range(0, len(matrix), BATCH_ROWS)]


def round_rows(rows: "Matrix") -> "tuple[Matrix, float]":
    """Round rows to whole numbers whose sums cannot overflow; return them and the factor."""
    import numpy

    longest = float(numpy.sqrt((rows * rows).sum(axis=1)).max(initial=0.0))
    scale = MAX_LENGTH / longest if longest else 1.0
    while True:
        found = numpy.rint(rows * numpy.float32(scale))
        longest = float(numpy.sqrt((found * found).sum(axis=1)).max(initial=0.0))
        if longest <= MAX_LENGTH:
            return found, scale
        scale *= min(MAX_LENGTH / longest, 0.999)


def measure_margin(vectors: PackedVectors, matrix: "Matrix") -> float:
    """Measure the error of cosines, for stored vectors, vectors between them, and random ones."""
    import numpy

    generator = numpy.random.default_rng(len(matrix))
    rows = numpy.sort(generator.choice(vectors.size, min(SAMPLE_ROWS, vectors.size), replace=False))
    known = matrix[generator.choice(vectors.size, SAMPLE_QUERIES)]
    random = generator.standard_normal(known.shape, numpy.float32) / sqrt(matrix.shape[1])
    deviations = [cosine_errors(vectors, matrix, rows, query) for query in (*known, *(known + random / 2), *random)]
    widest = max(numpy.abs(errors_of_query).max() for errors_of_query in deviations)
    return float(max(MARGIN_DEVIATIONS * max(map(numpy.std, deviations)), MARGIN_FACTOR * widest))


def cosine_errors(vectors: PackedVectors, matrix: "Matrix", rows: "NDArray[numpy.int64]", asked: "Scores") -> "Scores":
    """Return the errors of these rows' cosines for a query, scaled to length 1."""
    import numpy

    wanted = asked / max(float(numpy.sqrt(asked @ asked)), 1e-9)
    found: Scores = vectors.scores(wanted)[rows] - matrix[rows] @ wanted
    return found
