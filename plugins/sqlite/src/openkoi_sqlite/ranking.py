"""Which documents answer a question: SQLite's BM25 over the shelves that the question may see."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from openkoi_hookspecs import Hit, Learning, Memo, Passage, Query
from openkoi_log import decode

from .documents import EVERYONE, shelf_of
from .seals import DAMAGE, intact
from .staging import clean
from .trouble import Ailment, Sick
from .words import words

ASKED, SPARE, CHARACTERS_PER_TOKEN = 64, 20, 4
RANK = """
SELECT words.rowid, -bm25(words) AS score FROM words JOIN documents ON doc = words.rowid
WHERE words MATCH :words{shelves}{kinds}{keys} ORDER BY score DESC, moment DESC, id LIMIT :most
"""
SHELVES = " AND shelf IN (SELECT value FROM json_each(:shelves))"
KINDS_ONLY = " AND kind IN (SELECT value FROM json_each(:kinds))"
KEYS_ONLY = """ AND EXISTS (
SELECT 1 FROM json_each(documents.keys) AS own JOIN json_each(:keys) AS asked ON own.value = asked.value)"""
FETCH = """
SELECT id, learned, kind, shelf, moment, keys, memo, seal FROM documents WHERE doc IN (SELECT value FROM json_each(?))
ORDER BY doc
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A document that shares a word with the question."""

    score: float
    moment: str
    id: str
    memo: Memo


def asked(query: Query) -> str:
    """The words of a question as SQLite's full-text search reads them; any of them will do."""
    return " OR ".join(f'"{word}"' for word in list(dict.fromkeys(words(clean(query.text))))[:ASKED])


def answer(connection: Connection, query: Query, any_of: str) -> Sequence[Hit]:
    """Find what answers the query, best first: age decides only between equals."""
    if not any_of or query.limit < 1:
        return []
    statement = RANK.format(
        shelves=SHELVES if query.scope == "project" else "",
        kinds=KINDS_ONLY if query.kinds else "",
        keys=KEYS_ONLY if query.keys else "",
    )
    values = {
        "words": any_of,
        "shelves": json.dumps([clean(shelf_of(query.project)), EVERYONE]),
        "kinds": json.dumps([clean(kind) for kind in query.kinds]),
        "keys": json.dumps(query.keys),
        "most": query.limit + SPARE,
    }
    return fitting(fetched(connection, dict(connection.execute(statement, values).fetchall())), query)


def fetched(connection: Connection, scores: dict[int, float]) -> list[Found]:
    """Read the documents that were scored, best first, newer before older."""
    rows = list(intact(connection.execute(FETCH, [json.dumps(sorted(scores))])))
    if len(rows) != len(scores):
        raise Sick(Ailment.DAMAGED, DAMAGE)
    found = [found_in(row, scores[doc]) for doc, row in zip(sorted(scores), rows, strict=True)]
    found.sort(key=lambda one: one.id)
    found.sort(key=lambda one: (one.score, one.moment), reverse=True)
    return found


def found_in(row: tuple[object, ...], score: float) -> Found:
    """Read a document."""
    id, learned, _, _, moment, _, memo = row
    return Found(score, str(moment), str(id), decode(Learning if learned else Passage, json.loads(str(memo))))


def fitting(found: Sequence[Found], query: Query) -> list[Hit]:
    """What fits the limit and the tokens; one that is too long leaves its room to the next."""
    hits: list[Hit] = []
    left = query.tokens
    for one in found:
        size = -(-len(one.memo.text) // CHARACTERS_PER_TOKEN)
        if size <= left and len(hits) < query.limit:
            hits.append(Hit(one.memo, one.score / found[0].score))
            left -= size
    return hits
