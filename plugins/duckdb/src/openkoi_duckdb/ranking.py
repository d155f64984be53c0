"""Which documents answer a question: BM25 over the postings of the shelves that the question may see.

Statements are many and small, because DuckDB plans a large one longer than it takes to answer it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from openkoi_hookspecs import Hit, Learning, Memo, Passage, Query

from .codec import read
from .documents import EVERYONE, shelf_of
from .words import terms

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

K1, B = 1.2, 0.75
ASKED = 64
SPARE = 20
CHARACTERS_PER_TOKEN = 4
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
FETCH = "SELECT doc, id, learned, moment, memo FROM documents WHERE doc IN (SELECT unnest(?::BIGINT[]))"


@dataclass(frozen=True, slots=True)
class Found:
    """A document that shares a word with the question."""

    score: float
    moment: str
    id: str
    memo: Memo


def asked(query: Query) -> list[str]:
    """Return the words of a question, each once. To be found before the file is opened: reading takes its time."""
    return list(dict.fromkeys(terms(query.text)))[:ASKED]


def answer(connection: "DuckDBPyConnection", query: Query, words: list[str]) -> Sequence[Hit]:
    """Find what answers the query, best first: age decides only between equals.

    Relevance goes from that of a document which shares no word, 0, to that of the best, 1.
    """
    shelves = seen_by(connection, query)
    weights, mean = weighed(connection, shelves, words)
    if not weights:
        return []
    found = fetched(connection, ranked(connection, query, shelves, weights, mean))
    return fitting(found, query)


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
) -> Mapping[int, float]:
    """Score documents; a few more than asked for, so that age can decide at the edge."""
    values: dict[str, object] = {"k1": K1, "b": B, "mean": mean, "shelves": shelves}
    values |= {"terms": list(weights), "weights": list(weights.values()), "most": query.limit + SPARE}
    only = ONLY if query.kinds or query.keys else ""
    if only:
        values |= {"kinds": list(query.kinds), "keys": list(query.keys)}
    return dict(connection.execute(RANK.format(only=only), values).fetchall())


def fetched(connection: "DuckDBPyConnection", scores: Mapping[int, float]) -> list[Found]:
    """Read the documents that were scored, best first, newer before older."""
    rows = connection.execute(FETCH, [list(scores)]).fetchall()
    found = [Found(scores[doc], moment, id, memo_of(learned, memo)) for doc, id, learned, moment, memo in rows]
    found.sort(key=lambda one: one.id)
    found.sort(key=lambda one: (one.score, one.moment), reverse=True)
    return found


def memo_of(learned: bool, text: str) -> Memo:
    """Read a memo."""
    return read(Learning, text) if learned else read(Passage, text)


def fitting(found: Sequence[Found], query: Query) -> list[Hit]:
    """Keep what fits the limit and the tokens; one that is too long leaves its room to the next."""
    hits: list[Hit] = []
    left = query.tokens
    for one in found:
        size = -(-len(one.memo.text) // CHARACTERS_PER_TOKEN)
        if size <= left and len(hits) < query.limit:
            hits.append(Hit(one.memo, one.score / found[0].score))
            left -= size
    return hits
