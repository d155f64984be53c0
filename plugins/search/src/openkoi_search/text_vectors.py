"""Compare a question's embedding with those of all texts in memory."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from .sparse_fusion import add_scores
from .vector_store import MIN_COSINE

if TYPE_CHECKING:
    from .exact_search import VectorMatrix
    from .segment_documents import LexicalQuery, SegmentDocuments


@dataclass(frozen=True, slots=True)
class TextVectors:
    """A question's vector, and those of all texts; ``pieces`` are its words and their pieces if these count as well."""

    vector: Sequence[float]
    vectors: "VectorMatrix"
    weight: float
    pieces: "LexicalQuery | None" = None

    @property
    def tells_meaning(self) -> bool:
        """Whether it returns cosines."""
        return self.pieces is None

    def measure(
        self, documents: "SegmentDocuments", scopes: Sequence[str], docs: Collection[int], most: int
    ) -> Mapping[int, float]:
        """Return how near these texts are, and the nearest others that are near enough."""
        meant = self.compare(docs, most)
        if self.pieces is None:
            return meant
        return add_scores(self.pieces.measure(documents, scopes, meant, most), meant, 1 - self.pieces.weight)

    def compare(self, docs: Collection[int], most: int) -> Mapping[int, float]:
        """Return the cosines of these texts, and of the nearest others that are near enough."""
        import numpy

        rows, cosines = self.vectors.nearest(self.vector, most)
        near = zip(rows.tolist(), cosines.tolist(), strict=True)
        asked = numpy.array(list(docs), numpy.int64)
        known = zip(docs, self.vectors.scores_of(asked, self.vector).tolist(), strict=True)
        return {doc: cosine for doc, cosine in near if cosine >= MIN_COSINE} | dict(known)
