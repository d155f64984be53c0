"""Which documents answer a question: BM25 over the postings of the shelves that the question may see, and more.

What vectors, the pieces said before and after, and names in the question say is added. Statements are many and small,
because DuckDB plans a large one longer than it takes to answer it.
"""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import log
from typing import TYPE_CHECKING

from openkoi_hookspecs import Query

from .blending import Scores, added, with_names, with_neighbours
from .bm25 import K1, B
from .documents import EVERYONE, shelf_of
from .fitting import Found, in_order
from .fusion import WITH_MEANING, WORDS_ALONE
from .names import names
from .transcripts import KIND as TRANSCRIPT
from .words import terms

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .nearness import Meant

ASKED = 64
SPARE = 20
SHELVES = "SELECT DISTINCT shelf FROM documents"
CORPUS = "SELECT count(*), avg(dl) FROM documents WHERE shelf IN (SELECT unnest(?::VARCHAR[]))"
COUNTS = """
SELECT term, count(*) FROM memory_fts
WHERE shelf IN (SELECT unnest(?::VARCHAR[])) AND term IN (SELECT unnest(?::VARCHAR[])) GROUP BY term
"""
RANK = """
SELECT doc, round(sum(weight * tf * ($k1 + 1) / (tf + $k1 * (1 - $b + $b * dl / $mean))), 9) AS score
FROM memory_fts JOIN (SELECT unnest($terms::VARCHAR[]) AS term, unnest($weights::DOUBLE[]) AS weight) USING (term)
WHERE shelf IN (SELECT unnest($shelves::VARCHAR[])){only} GROUP BY doc ORDER BY score DESC, doc LIMIT $most
"""
ONLY = """ AND doc IN (SELECT doc FROM documents WHERE
(len($kinds::VARCHAR[]) = 0 OR list_contains($kinds::VARCHAR[], kind)) AND
(len($keys::VARCHAR[]) = 0 OR list_has_any($keys::VARCHAR[], keys)))"""
ALLOWED = "SELECT doc FROM documents WHERE doc IN (SELECT unnest($docs::BIGINT[]))"
FETCH = "SELECT doc, moment, id, kind, learned, memo FROM documents WHERE doc IN (SELECT unnest(?::BIGINT[]))"
LINKS = """
SELECT doc, next FROM (
    SELECT doc, lead(doc) OVER (PARTITION BY run ORDER BY moment, id) AS next FROM chunk_places
    WHERE run IN (SELECT run FROM chunk_places WHERE doc IN (SELECT unnest($docs::BIGINT[]))))
WHERE next IS NOT NULL AND (doc IN (SELECT unnest($docs::BIGINT[])) OR next IN (SELECT unnest($docs::BIGINT[])))
"""
HAVING = """
SELECT doc, count(DISTINCT term) FROM memory_fts WHERE shelf IN (SELECT unnest(?::VARCHAR[]))
AND term IN (SELECT unnest(?::VARCHAR[])) AND doc IN (SELECT unnest(?::BIGINT[])) GROUP BY doc
"""


def asked(query: Query) -> list[str]:
    """Return the words of a question, each once. To be found before the file is opened: reading takes its time."""
    return list(dict.fromkeys(terms(query.text)))[:ASKED]


def answer(
    connection: "DuckDBPyConnection", query: Query, words: list[str], meant: "Meant | None" = None
) -> Sequence[Found]:
    """Find what answers the query, best first; all that has anything to do with it."""
    shelves = seen_by(connection, query)
    weights, mean = weighed(connection, shelves, words)
    scores: Scores = ranked(connection, query, shelves, weights, mean) if weights else {}
    if meant:
        near = meant.near(connection, shelves, list(scores), query.limit + SPARE)
        scores = added(scores, among(connection, query, near), meant.vectors.weight)
    else:
        scores = added(scores, {}, 0.0)
    kin = WITH_MEANING if meant else WORDS_ALONE
    scores = with_neighbours(scores, links(connection, query, scores), kin.neighbours)
    scores = named(connection, query, shelves, scores, kin.names)
    return fetched(connection, most(scores, query.limit + SPARE))


def most(scores: Scores, number: int) -> Scores:
    """The best of the scores."""
    return dict(nlargest(number, scores.items(), key=lambda one: (one[1], -one[0])))


def among(connection: "DuckDBPyConnection", query: Query, near: Scores) -> Scores:
    """Those of the documents that the query asks for."""
    if not (query.kinds or query.keys):
        return near
    values: dict[str, object] = {"docs": list(near), "kinds": list(query.kinds), "keys": list(query.keys)}
    allowed = connection.execute(ALLOWED + ONLY, values).fetchall()
    return {doc: near[doc] for (doc,) in allowed}


def links(connection: "DuckDBPyConnection", query: Query, scores: Scores) -> Sequence[tuple[int, int]]:
    """Pairs of pieces that were said one after the other, one of which at least was found."""
    if not scores or query.keys or (query.kinds and TRANSCRIPT not in query.kinds):
        return []
    return connection.execute(LINKS, {"docs": list(scores)}).fetchall()


def named(connection: "DuckDBPyConnection", query: Query, shelves: list[str], scores: Scores, weight: float) -> Scores:
    """The scores, and more for documents that have the names of the question."""
    asked = names(query.text)[:ASKED]
    having = connection.execute(HAVING, [shelves, asked, list(scores)]).fetchall() if asked and scores else []
    return with_names(scores, having, asked, weight)


def seen_by(connection: "DuckDBPyConnection", query: Query) -> list[str]:
    """Return the shelves that a query sees: its project's and everyone's, or with another scope than that all."""
    if query.scope == "project":
        return [shelf_of(query.project), EVERYONE]
    return [shelf for (shelf,) in connection.execute(SHELVES).fetchall()]


def weighed(
    connection: "DuckDBPyConnection", shelves: list[str], words: list[str]
) -> tuple[Mapping[str, float], float]:
    """Weigh the words that occur at all, the rarer the more; and tell how long a document is on average."""
    documents, mean = connection.execute(CORPUS, [shelves]).fetchall()[0]
    counts = connection.execute(COUNTS, [shelves, words]).fetchall()
    return {term: log(1 + (documents - count + 0.5) / (count + 0.5)) for term, count in counts}, mean or 1.0


def ranked(
    connection: "DuckDBPyConnection", query: Query, shelves: list[str], weights: Mapping[str, float], mean: float
) -> Scores:
    """Score documents; a few more than asked for, so that age can decide at the edge."""
    values: dict[str, object] = {"k1": K1, "b": B, "mean": mean, "shelves": shelves}
    values |= {"terms": list(weights), "weights": list(weights.values()), "most": query.limit + SPARE}
    only = ONLY if query.kinds or query.keys else ""
    if only:
        values |= {"kinds": list(query.kinds), "keys": list(query.keys)}
    return dict(connection.execute(RANK.format(only=only), values).fetchall())


def fetched(connection: "DuckDBPyConnection", scores: Scores) -> list[Found]:
    """Read the documents that were scored, best first."""
    rows = connection.execute(FETCH, [list(scores)]).fetchall() if scores else []
    return in_order(Found(scores[doc], *row) for doc, *row in rows)
