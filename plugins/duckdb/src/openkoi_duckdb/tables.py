"""Look up in the tables what a query needs.

Statements are many and small, because DuckDB takes longer to plan a large statement than to run it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs import Query
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.bm25 import K1, B, rarity
from openkoi_search.hit_selection import FoundDocument
from openkoi_search.ranking import Pairs
from openkoi_search.scopes import EVERYONE, scope_of
from openkoi_search.sparse_fusion import Scores, WordMatch

from .load_documents import IN_ORDER, load_documents
from .vectors import load_vectors, read_mark, read_versions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from openkoi_search.base_and_tail import VectorLayers
    from openkoi_search.bm25 import Numbers
    from openkoi_search.in_memory_documents import InMemoryDocuments
    from openkoi_search.vector_file import VectorFile, Versions
    from openkoi_search.vector_store import VectorStore

SCOPES = "SELECT DISTINCT scope FROM documents"
CORPUS = "SELECT count(*), avg(dl) FROM documents WHERE scope IN (SELECT unnest(?::VARCHAR[]))"
COUNTS = """
SELECT term, count(*) FROM memory_fts
WHERE scope IN (SELECT unnest(?::VARCHAR[])) AND term IN (SELECT unnest(?::VARCHAR[])) GROUP BY term
"""
RANK = """
SELECT doc, round(sum(weight * tf * ($k1 + 1) / (tf + $k1 * (1 - $b + $b * dl / $mean))), 9) AS score
FROM memory_fts JOIN (SELECT unnest($terms::VARCHAR[]) AS term, unnest($weights::DOUBLE[]) AS weight) USING (term)
WHERE scope IN (SELECT unnest($scopes::VARCHAR[])){only} GROUP BY doc ORDER BY score DESC, doc LIMIT $most
"""
ONLY = """ AND doc IN (SELECT doc FROM documents WHERE
(len($kinds::VARCHAR[]) = 0 OR list_contains($kinds::VARCHAR[], kind)) AND
(len($keys::VARCHAR[]) = 0 OR list_has_any($keys::VARCHAR[], keys)))"""
ALLOWED = "SELECT doc FROM documents WHERE doc IN (SELECT unnest($docs::BIGINT[]))"
FETCH = "SELECT moment, id, kind, learned, memo, doc FROM documents WHERE doc IN (SELECT unnest(?::BIGINT[]))"
LINKS = f"""
SELECT doc, next FROM (
    SELECT doc, {IN_ORDER} AS next FROM chunk_places
    WHERE run IN (SELECT run FROM chunk_places WHERE doc IN (SELECT unnest($docs::BIGINT[]))))
WHERE next IS NOT NULL AND (doc IN (SELECT unnest($docs::BIGINT[])) OR next IN (SELECT unnest($docs::BIGINT[])))
"""
HAVING = """
SELECT DISTINCT term, doc FROM memory_fts WHERE scope IN (SELECT unnest(?::VARCHAR[]))
AND term IN (SELECT unnest(?::VARCHAR[])) AND doc IN (SELECT unnest(?::BIGINT[]))
"""


@dataclass(frozen=True, slots=True)
class DuckDBTables:
    """The tables of an open file."""

    connection: "DuckDBPyConnection"

    def visible_scopes(self, query: Query) -> list[str]:
        """Return the scopes that a query can see."""
        if query.scope == "project":
            return [scope_of(query.project), EVERYONE]
        return [scope for (scope,) in self.connection.execute(SCOPES).fetchall()]

    def rank_by_words(self, query: Query, scopes: Sequence[str], words: Collection[str], most: int) -> Scores:
        """Score documents by their words."""
        weights, mean = self.weigh_words(scopes, words)
        if not weights:
            return {}
        values: dict[str, object] = {"k1": K1, "b": B, "mean": mean, "scopes": list(scopes), "most": most}
        values |= {"terms": list(weights), "weights": list(weights.values())}
        only = ONLY if query.kinds or query.keys else ""
        if only:
            values |= {"kinds": list(query.kinds), "keys": list(query.keys)}
        return dict(self.connection.execute(RANK.format(only=only), values).fetchall())

    def weigh_words(self, scopes: Sequence[str], words: Collection[str]) -> tuple[Mapping[str, float], float]:
        """Return the weight of each word that occurs (rarer words weigh more), and the average document length."""
        documents, mean = self.connection.execute(CORPUS, [list(scopes)]).fetchall()[0]
        counts = self.connection.execute(COUNTS, [list(scopes), list(words)]).fetchall()
        return {term: rarity(count, documents) for term, count in counts}, mean or 1.0

    def filter_documents(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Return the documents, among these, that match the query's filters."""
        values: dict[str, object] = {"docs": list(docs), "kinds": list(query.kinds), "keys": list(query.keys)}
        return [doc for (doc,) in self.connection.execute(ALLOWED + ONLY, values).fetchall()]

    def find_neighbours(self, docs: Collection[int]) -> Pairs:
        """Return pairs of consecutive pieces."""
        return self.connection.execute(LINKS, {"docs": list(docs)}).fetchall()

    def find_words(
        self, scopes: Sequence[str], words: Collection[str], docs: Collection[int]
    ) -> Mapping[str, WordMatch]:
        """Return the known words among these, each with the documents that contain it."""
        weights, _ = self.weigh_words(scopes, words)
        having: dict[str, set[int]] = {word: set() for word in weights}
        for word, doc in self.connection.execute(HAVING, [list(scopes), list(words), list(docs)]).fetchall():
            having[word].add(doc)
        return {word: (weight, having[word]) for word, weight in weights.items()}

    def load_vectors(self, file: "VectorStore") -> "VectorLayers | None":
        """Return the vectors in the tables."""
        return file.current_layers(self)

    def mark(self) -> str:
        """Return the mark of the vectors' current state."""
        return read_mark(self.connection)

    def versions(self, model: str) -> "tuple[Numbers, Versions]":
        """Return the documents with a vector of a model, and its version."""
        return read_versions(self.connection, model)

    def all_vectors(self, model: str, docs: Sequence[int] | None = None) -> "VectorFile | None":
        """Return all vectors of a model, or those of some documents."""
        return load_vectors(self.connection, model, docs)

    def count(self) -> int:
        """Return the number of documents."""
        found: int = self.connection.execute("SELECT count(*) FROM documents").fetchall()[0][0]
        return found

    def all(self) -> "InMemoryDocuments":
        """Return all documents and their words."""
        return load_documents(self.connection)

    def fetch_documents(self, scores: Scores) -> list[FoundDocument]:
        """Read the documents that were scored."""
        rows = self.connection.execute(FETCH, [list(scores)]).fetchall() if scores else []
        return [FoundDocument(scores[row[-1]], *row) for row in rows]
