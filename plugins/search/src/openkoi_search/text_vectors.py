"""Embed texts, and compare a question's embedding with all of theirs in memory."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from .embedders import embed_texts
from .fusion import NAMES_SHARE
from .sparse_fusion import add_scores
from .vector_store import MIN_COSINE
from .words import DEFINITION, HUMP

if TYPE_CHECKING:
    from .embedders import Embed
    from .exact_search import VectorMatrix
    from .segment_documents import LexicalQuery, SegmentDocuments

MAX_DEFINED_NAMES = 3  # of a text that are embedded: the first says what it is (estimate)


@dataclass(frozen=True, slots=True)
class TextVectors:
    """A question's vector, and those of all texts; ``pieces`` are its words and their pieces if these count as well."""

    vector: Sequence[float]
    vectors: "VectorMatrix"
    weight: float
    pieces: "LexicalQuery | None" = None

    @property
    def tells_meaning(self) -> bool:
        """Whether its values are cosines."""
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


def embed_code(embed: "Embed", texts: Sequence[str], names: Sequence[str]) -> "VectorMatrix":
    """Return a vector for each text, shifted towards the vector of the names that the text defines, if any."""
    import numpy

    from .exact_search import VectorMatrix

    matrix = embed_texts(embed, texts).matrix
    named = [number for number, name in enumerate(names) if name]
    if named:
        moved = matrix[named] + NAMES_SHARE * embed_texts(embed, [names[number] for number in named]).matrix
        lengths = numpy.linalg.norm(moved, axis=1, keepdims=True)
        matrix[named] = moved / numpy.maximum(lengths, numpy.finfo(numpy.float32).tiny)
    return VectorMatrix(matrix)


def defined_names(text: str) -> str:
    """Return the first names that code defines, as words."""
    found = DEFINITION.findall(text)[:MAX_DEFINED_NAMES]
    return " ".join(part for name in found for part in HUMP.sub("_", name).split("_") if part).lower()
