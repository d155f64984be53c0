"""Search texts for the words of questions, with libraries for full-text search; each stems words where it can."""

import json
import re
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.turns import Turn, address, take_part

K = 10
Search = Callable[[str], Sequence[int]]


def searched(make: Callable[[list[str]], Search]) -> Turn:
    """Return a turn that indexes texts and asks all questions."""

    def turn(asked: dict[str, int]) -> list[float]:
        data = read(asked["talk"])
        return measured(make(data["texts"]), data["questions"])

    return turn


def read(talk: int) -> dict[str, Any]:
    """Return the texts and questions of that number, which are in the contest's folder."""
    data: dict[str, Any] = json.loads(Path(address(), f"{talk}.json").read_text("utf-8"))
    return data


def measured(search: Search, questions: Sequence[str]) -> list[float]:
    """Return the milliseconds of processor time a question, and ten ids for each, where -1 is none.

    The first question is asked before, because it may import.
    """
    search(questions[0])
    began = time.process_time()
    found = [list(search(question))[:K] for question in questions]
    took = 1_000 * (time.process_time() - began) / len(found)
    return [took, *(number for ids in found for number in ids + [-1] * (K - len(ids)))]


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return re.findall(r"\w+", text.lower())


def rank_bm25(texts: list[str]) -> Search:
    """Index with rank-bm25, which has no stemmer."""
    import numpy
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([words(text) for text in texts])

    def search(question: str) -> Sequence[int]:
        nearest: list[int] = numpy.argsort(-index.get_scores(words(question)), kind="stable")[:K].tolist()
        return nearest

    return search


def bm25s(texts: list[str]) -> Search:
    """Index with bm25s, its English stop words and PyStemmer, as its documentation does."""
    import bm25s
    import Stemmer

    index, stemmer = bm25s.BM25(), Stemmer.Stemmer("english")

    def tokens(several: list[str]) -> Any:
        return bm25s.tokenize(several, stopwords="en", stemmer=stemmer, show_progress=False)

    index.index(tokens(texts), show_progress=False)

    def search(question: str) -> Sequence[int]:
        ids, _ = index.retrieve(tokens([question]), k=K, show_progress=False)
        nearest: list[int] = ids[0].tolist()
        return nearest

    return search


def tantivy(texts: list[str]) -> Search:
    """Index with tantivy and its English stemmer."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="en_stem")
    builder.add_unsigned_field("number", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for number, text in enumerate(texts):
        writer.add_document(tantivy.Document(text=text, number=number))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(question: str) -> Sequence[int]:
        query = index.parse_query(" ".join(words(question)), ["text"])
        return [searcher.doc(place)["number"][0] for _, place in searcher.search(query, K).hits]

    return search


def whoosh(texts: list[str]) -> Search:
    """Index with Whoosh and its stemming analyzer."""
    from whoosh.analysis import StemmingAnalyzer
    from whoosh.fields import STORED, TEXT, Schema
    from whoosh.filedb.filestore import RamStorage
    from whoosh.qparser import OrGroup, QueryParser

    schema = Schema(text=TEXT(analyzer=StemmingAnalyzer()), number=STORED)
    index = RamStorage().create_index(schema)
    writer = index.writer()
    for number, text in enumerate(texts):
        writer.add_document(text=text, number=number)
    writer.commit()
    searcher, parser = index.searcher(), QueryParser("text", schema, group=OrGroup)

    def search(question: str) -> Sequence[int]:
        return [hit["number"] for hit in searcher.search(parser.parse(" ".join(words(question))), limit=K)]

    return search


def sqlite(texts: list[str]) -> Search:
    """Index with SQLite's FTS5 and its Porter stemmer."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(texts))
    asked = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"

    def search(question: str) -> Sequence[int]:
        query = " OR ".join(f'"{word}"' for word in words(question))
        return [number for (number,) in connection.execute(asked, (query, K))]

    return search


def duckdb(texts: list[str]) -> Search:
    """Index with DuckDB's fts, and its Porter stemmer and stop words; the extension comes from a package."""
    import duckdb
    import duckdb_extension_fts

    connection = duckdb.connect()
    (extension,) = Path(str(duckdb_extension_fts.__file__)).parent.glob("extensions/*/fts.duckdb_extension")
    connection.execute(f"LOAD '{extension}'")
    connection.execute("CREATE TABLE texts (number INTEGER, text VARCHAR)")
    connection.executemany("INSERT INTO texts VALUES (?, ?)", list(enumerate(texts)))
    connection.execute("PRAGMA create_fts_index('texts', 'number', 'text')")
    asked = """SELECT number FROM (SELECT number, fts_main_texts.match_bm25(number, ?) AS score FROM texts)
        WHERE score IS NOT NULL ORDER BY score DESC LIMIT ?"""

    def search(question: str) -> Sequence[int]:
        return [number for (number,) in connection.execute(asked, (question, K)).fetchall()]

    return search


if __name__ == "__main__":
    take_part(
        {
            "rank-bm25": lambda: searched(rank_bm25),
            "bm25s": lambda: searched(bm25s),
            "tantivy": lambda: searched(tantivy),
            "whoosh": lambda: searched(whoosh),
            "sqlite": lambda: searched(sqlite),
            "duckdb": lambda: searched(duckdb),
        }
    )
