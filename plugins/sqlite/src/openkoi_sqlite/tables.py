"""Look up in the tables what a query needs: which documents have a word, how often, and their lengths.

The ranking that all memories share adds these up.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from heapq import nlargest
from itertools import chain
from sqlite3 import Connection
from typing import TYPE_CHECKING

from openkoi_hookspecs import Query
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.bm25 import K1, B, rarity
from openkoi_search.hit_selection import FoundDocument
from openkoi_search.memory_file_errors import StoreError, StoreFailureKind
from openkoi_search.ranking import Pairs
from openkoi_search.scopes import EVERYONE, scope_of
from openkoi_search.sparse_fusion import DIGITS, Scores, WordMatch

from .checksums import DAMAGE_MESSAGE, DOCUMENT, check_rows
from .load_documents import IN_ORDER, load_documents
from .stored_records import clean

if TYPE_CHECKING:
    from openkoi_search.base_and_tail import VectorLayers
    from openkoi_search.in_memory_documents import InMemoryDocuments
    from openkoi_search.vector_store import VectorStore

LISTED = "(SELECT value FROM json_each(?))"
CORPUS = f"SELECT doc, length FROM documents WHERE scope IN {LISTED}"
POSTED = "SELECT doc FROM places WHERE term = ?"
KINDS = f" AND kind IN {LISTED}"
KEYS = f" AND EXISTS (SELECT 1 FROM json_each(documents.keys) WHERE value IN {LISTED})"
LINKS = f"""
SELECT doc, next FROM (
    SELECT doc, {IN_ORDER} AS next FROM documents WHERE run <> ''
    AND run IN (SELECT run FROM documents WHERE run <> '' AND doc IN {LISTED})) WHERE next IS NOT NULL
"""
FETCH = f"SELECT doc, {DOCUMENT} FROM documents WHERE doc IN {LISTED}"


@dataclass(frozen=True, slots=True)
class SQLiteTables:
    """The tables of an open file, within one transaction.

    ``posted`` contains the documents of the words looked up so far, with their counts.
    """

    connection: Connection
    posted: dict[str, Counter[int]] = field(default_factory=dict)

    def visible_scopes(self, query: Query) -> list[str]:
        """Return the scopes that a query can see."""
        if query.scope == "project":
            return [clean(scope_of(query.project)), EVERYONE]
        return [scope for (scope,) in self.connection.execute("SELECT DISTINCT scope FROM documents")]

    def rank_by_words(self, query: Query, scopes: Sequence[str], words: Collection[str], most: int) -> Scores:
        """Score documents by their words."""
        lengths = self.lengths(scopes)
        mean = sum(lengths.values()) / max(len(lengths), 1) or 1.0
        scores: dict[int, float] = {}
        for word in words:
            there = {doc: times for doc, times in self.having_word(word).items() if doc in lengths}
            weight = rarity(len(there), len(lengths)) * (K1 + 1)
            for doc, times in there.items():
                worth = weight * times / (times + K1 * (1 - B + B * lengths[doc] / mean))
                scores[doc] = scores.get(doc, 0.0) + worth
        if query.kinds or query.keys:
            scores = {doc: scores[doc] for doc in self.filter_documents(query, scores)}
        return pick_best(scores, most)

    def having_word(self, word: str) -> Counter[int]:
        """Return the documents that contain a word, and how often, in all scopes."""
        known = self.posted.get(word)
        if known is None:
            rows = self.connection.execute(POSTED, [clean(word)])
            known = self.posted[word] = Counter(chain.from_iterable(rows))
        return known

    def filter_documents(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Return the documents, among these, that match the query's filters."""
        statement, values = f"SELECT doc FROM documents WHERE doc IN {LISTED}", to_parameter(docs)
        if query.kinds:
            statement, values = statement + KINDS, [*values, *to_parameter(map(clean, query.kinds))]
        if query.keys:
            statement, values = statement + KEYS, [*values, *to_parameter(query.keys)]
        return [doc for (doc,) in self.connection.execute(statement, values)]

    def find_neighbours(self, docs: Collection[int]) -> Pairs:
        """Return pairs of consecutive pieces."""
        wanted = set(docs)
        pairs = self.connection.execute(LINKS, to_parameter(docs)).fetchall()
        return [pair for pair in pairs if wanted.intersection(pair)]

    def find_words(
        self, scopes: Sequence[str], words: Collection[str], docs: Collection[int]
    ) -> Mapping[str, WordMatch]:
        """Return the known words among these, each with the documents that contain it."""
        lengths = self.lengths(scopes)
        posted = {word: self.having_word(word).keys() & lengths.keys() for word in words}
        return {
            word: (rarity(len(there), len(lengths)), there.intersection(docs))
            for word, there in posted.items()
            if there
        }

    def lengths(self, scopes: Sequence[str]) -> Mapping[int, int]:
        """Return how many words each document in some scopes has."""
        return dict(self.connection.execute(CORPUS, to_parameter(scopes)).fetchall())

    def load_vectors(self, _: "VectorStore") -> "VectorLayers | None":
        """There are none."""
        return None

    def count(self) -> int:
        """Return the number of documents."""
        found: int = self.connection.execute("SELECT count(*) FROM documents").fetchone()[0]
        return found

    def all(self) -> "InMemoryDocuments":
        """Return all documents and their words."""
        return load_documents(self.connection)

    def fetch_documents(self, scores: Scores) -> list[FoundDocument]:
        """Read the documents that were scored; raise StoreError if one is gone or was changed."""
        rows = list(check_rows(self.connection.execute(FETCH, to_parameter(scores))))
        if len(rows) != len(scores):
            raise StoreError(StoreFailureKind.DAMAGED, DAMAGE_MESSAGE)
        return [make_found_document(row, scores) for row in rows]


def pick_best(scores: Scores, most: int) -> Scores:
    """Return the best scores, rounded; equal ones by document number."""
    least = min(nlargest(most, scores.values()), default=0.0) - 10**-DIGITS
    rounded = {doc: round(score, DIGITS) for doc, score in scores.items() if score >= least}
    return dict(nlargest(most, rounded.items(), key=lambda one: (one[1], -one[0])))


def make_found_document(row: Sequence[object], scores: Mapping[int, float]) -> FoundDocument:
    """Return a document in the form used for ranking."""
    doc, _, _, kind, memo_id, learned, moment, _, _, memo = row
    return FoundDocument(
        scores[int(str(doc))], str(moment), str(memo_id), str(kind), bool(learned), str(memo), int(str(doc))
    )


def to_parameter(values: Iterable[object]) -> list[str]:
    """Return values as one parameter."""
    return [json.dumps(list(values))]
