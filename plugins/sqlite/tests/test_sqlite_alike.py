"""Test that both memories give the same answers in the same order, from the file or the cache."""

import asyncio
import os
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from openkoi_hookspecs import Hit, Memory, Query, Record
from openkoi_search.document_cache import MAX_CACHED_DOCUMENTS
from openkoi_search.hit_selection import FoundDocument
from openkoi_search.ranking import Documents, query_words, rank_documents
from openkoi_sqlite import SQLite
from openkoi_sqlite.file import open_connection
from openkoi_sqlite.load_documents import load_documents
from openkoi_sqlite.tables import SQLiteTables
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import (
    SUBJECTS,
    build_learning,
    many_runs,
    run_records,
    saving_record,
    talk_records,
)


def the_log(seed: int, size: int = 16) -> list[Record]:
    """Tasks of two projects, their transcripts, and learnings."""
    chance = random.Random(seed)
    talks = [
        record
        for n in range(size)
        for record in talk_records(
            f"run{n}", *(" ".join(chance.choices(SUBJECTS, k=12)) for _ in range(3)), start=n * 60.0
        )
    ]
    texts = [" ".join(chance.choices(SUBJECTS, k=6)) for _ in range(5)]
    learned = [
        saving_record(
            replace(build_learning(f"L{n}", keys=("a.py",)[: n % 2]), text=text), f"run{n}", start=9_000.0 + n
        )
        for n, text in enumerate(texts)
    ]
    return [*many_runs(size), *talks, *learned]


def questions(seed: int, number: int = 24) -> list[Query]:
    chance = random.Random(seed)
    return [
        Query(
            " ".join(chance.choices([*SUBJECTS, "Anna", "task12", "score"], k=chance.randint(1, 6))),
            project=chance.choice("abc"),
            kinds=chance.choice(((), (), ("transcript",), ("task", "heuristic"), ("none",))),
            keys=chance.choice(((), (), ("a.py", "b.py"))),
            scope=chance.choice(("project", "all")),
            limit=chance.choice((0, 3, 20, 100)),
            tokens=chance.choice((200, 50_000)),
        )
        for _ in range(number)
    ]


def answers(memory: Memory, seed: int) -> list[Sequence[Hit]]:
    async def all() -> list[Sequence[Hit]]:
        return [list(await memory.search(one)) for one in questions(seed)]

    return asyncio.run(all())


def alike(one: Sequence[Sequence[Hit]], other: Sequence[Sequence[Hit]]) -> bool:
    """Whether the same was found in the same order; relevance may differ where numbers are rounded."""
    return [[hit.item for hit in hits] for hits in one] == [[hit.item for hit in hits] for hits in other] and all(
        left.relevance == pytest.approx(right.relevance, abs=1e-7)
        for hits, others in zip(one, other, strict=True)
        for left, right in zip(hits, others, strict=True)
    )


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.campaign) for n in range(1, 30))])
def test_it_answers_as_duckdb_does(tmp_path: Path, seed: int) -> None:
    duckdb = pytest.importorskip("openkoi_duckdb")
    log = the_log(seed)
    ours, theirs = SQLite(path=tmp_path / "ours"), duckdb.DuckDB(path=tmp_path / "theirs", vectors=0)
    for memory in (ours, theirs):
        asyncio.run(memory.ingest(log))

    assert alike(answers(theirs, seed), answers(ours, seed))
    assert any(answers(ours, seed))


def test_what_is_held_answers_as_the_tables_do(tmp_path: Path) -> None:
    asyncio.run(
        SQLite(path=tmp_path / "m.db").ingest([*the_log(3), *run_records("odd", "Koi \ud800 mend\0", project="b")])
    )

    def rank_all(there: Documents) -> list[Sequence[FoundDocument]]:
        return [rank_documents(there, one, query_words(one)) for one in questions(5)]

    with closing(open_connection(tmp_path / "m.db")) as connection:
        tables = SQLiteTables(connection)
        assert rank_all(tables) == rank_all(load_documents(connection))
        assert any(rank_all(tables))
        assert MAX_CACHED_DOCUMENTS > tables.count() > 50


def held(folder: Path) -> SQLite:
    """A memory with all documents cached, because it was queried again after a long time without changes."""
    asyncio.run(SQLite(path=folder / "m.db").ingest(run_records("r1", "Mend the parser")))
    os.utime(folder / "m.db", ns=(1, 1))
    subject = SQLite(path=folder / "m.db")
    for _ in range(3):
        assert ["r1"] == ids_of(search_project(subject, "parser"))
    assert subject.holding is not None
    assert subject.holding.current_documents(None) is not None
    return subject


@pytest.mark.parametrize("others_have_it_open", [False, True])
def test_what_is_held_is_given_up_when_there_is_more(tmp_path: Path, others_have_it_open: bool) -> None:
    subject = held(tmp_path)

    with closing(sqlite3.connect(tmp_path / "m.db")) as other:
        if others_have_it_open:
            other.execute("SELECT count(*) FROM records").fetchone()
        asyncio.run(SQLite(path=tmp_path / "m.db").ingest(run_records("r2", "Mend the parser", start=60.0)))
        assert ["r2", "r1"] == ids_of(search_project(subject, "parser"))


def test_what_was_changed_is_not_held(tmp_path: Path) -> None:
    asyncio.run(SQLite(path=tmp_path / "m.db").ingest(many_runs(4)))
    with closing(sqlite3.connect(tmp_path / "m.db")) as other, other:
        other.execute("UPDATE documents SET length = length + 1")

    with (
        closing(open_connection(tmp_path / "m.db")) as connection,
        pytest.raises(Exception, match="changed by another program"),
    ):
        load_documents(connection)
