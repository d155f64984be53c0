"""Test recall beyond words: transcripts, meaning and context; and damaged files of vectors."""

import asyncio
import logging
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from openkoi_duckdb.load_documents import load_documents
from openkoi_duckdb.table_memory import TableMemory
from openkoi_duckdb.tables import DuckDBTables
from openkoi_hookspecs import Embedding, Hit, Query, Record, Task
from openkoi_hookspecs.events import QuestionAnswered, TaskStarted
from openkoi_search.base_and_tail import VectorLayers
from openkoi_search.hit_selection import FoundDocument
from openkoi_search.in_memory_documents import VectorsOutdatedError
from openkoi_search.ranking import Documents, query_words, rank_documents
from openkoi_search.vector_file import read as sidecar
from openkoi_search.vector_store import VectorQuery, VectorStore
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import records_of, run_records

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

REPLY = (
    "We chose the blue gateway for all invoices.",
    "Why did that one win over the others?",
    "Because the green one lost a webhook every night.",
    "The calendar is painted by hand, as it always was.",
)
ALIKE = ({"gateway", "door", "entrance"}, {"calendar", "almanac", "diary"}, {"webhook", "callback"})


class Meanings:
    """A small embedder that knows a few synonyms."""

    def __init__(self, id: str = "meanings-3") -> None:
        self.id = id
        self.last_stamps: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Embedding:
        self.last_stamps += texts
        return Embedding([self.vector(text.lower()) for text in texts])

    def vector(self, text: str) -> list[float]:
        counts = [float(any(word in text for word in words)) for words in ALIKE] + [0.0] * 5
        counts[3 + len(text) % 5] = float(not any(counts))
        length = sum(counts) ** 0.5
        return [count / length for count in counts]


class Broken(Meanings):
    async def embed(self, texts: Sequence[str]) -> Embedding:
        raise OSError("no model")


def talk(reply: Sequence[str] = REPLY, run: str = "t1") -> list[Record]:
    """A run in which the user said this."""
    events = [QuestionAnswered(f"q{n}", text) for n, text in enumerate(reply)]
    return records_of(run, [TaskStarted(Task("Talk", session="s1", project="koi")), *events])


def memory(folder: Path, embedder: Meanings | None = None, records: Sequence[Record] = ()) -> TableMemory:
    """A memory that has ingested records."""
    memory = TableMemory(path=folder / "openkoi.db", seconds=30.0, embedder=embedder)
    asyncio.run(memory.ingest(records or talk()))
    return memory


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.item.text for hit in hits]


@pytest.mark.row("MEM-07")
def test_what_was_said_is_found_with_what_was_said_before_and_after(tmp_path: Path) -> None:
    hits = search_project(memory(tmp_path), "blue gateway", kinds=("transcript",))

    assert REPLY[0] == texts(hits)[0]
    assert {*REPLY[:3]} == {*texts(hits)[:3]}
    assert "s1" == hits[0].item.origin


def test_a_project_does_not_hear_what_was_said_in_another(tmp_path: Path) -> None:
    assert [] == search_project(memory(tmp_path), "blue gateway", project="other")


def test_who_does_not_ask_for_transcripts_gets_few_pieces(tmp_path: Path) -> None:
    reply = [f"The gateway has the number {n} on its door." for n in range(12)]
    subject = memory(tmp_path, records=[*run_records("r1", "Mend the gateway"), *talk(reply)])

    hits = search_project(subject, "gateway")

    assert 6 == len(hits)
    assert "r1" in ids_of(hits)


@pytest.mark.row("MEM-10")
def test_meaning_finds_what_shares_no_word(tmp_path: Path) -> None:
    subject = memory(tmp_path, Meanings())

    assert REPLY[0] == texts(search_project(subject, "which entrance", kinds=("transcript",)))[0]
    assert [] == search_project(subject, "what is the weather like")


@pytest.mark.row("MEM-09")
def test_model_and_dimension_stand_with_each_vector_and_another_model_embeds_anew(tmp_path: Path) -> None:
    memory(tmp_path, Meanings())
    other = Meanings("meanings-4")

    subject = memory(tmp_path, other, run_records("r1", "Paint"))

    stands = subject.file.read(
        lambda c: c.execute("SELECT model, dimension, count(*) FROM embedded GROUP BY ALL").fetchall()
    )
    lengths = subject.file.read(lambda c: c.execute("SELECT DISTINCT len(embedding) FROM memory_vec").fetchall())
    assert [("meanings-4", 8, 5)] == stands
    assert [(8,)] == lengths
    assert 5 == len(other.last_stamps)
    asyncio.run(subject.ingest(run_records("r1", "Paint")))
    assert 5 == len(other.last_stamps)


def test_an_embedder_that_fails_is_said_once_and_words_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "openkoi"):
        hits = search_project(memory(tmp_path, Broken()), "blue gateway", kinds=("transcript",))

    assert {*REPLY[:3]} == {*texts(hits)[:3]}
    assert "Memory is searched by words only" in caplog.text


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def flipped(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def torn(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) - 1)
    return data[:place] + bytes(len(data) - place)


def narrower(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b", 8]", b", 4]")


DAMAGES = (cut, flipped, torn, narrower)
Damage = Callable[[bytes, random.Random], bytes]


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 27), marks=pytest.mark.campaign)])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_of_vectors_answers_nothing_wrong_and_is_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Damage, seeds: range
) -> None:
    query = Query("which entrance or almanac", project="koi", kinds=("transcript",))
    right = asyncio.run(memory(tmp_path, Meanings()).search(query))
    file = tmp_path / "openkoi.db.vectors"
    whole = file.read_bytes()

    for seed in seeds:
        caplog.clear()
        damaged = damage(whole, random.Random(seed))
        file.write_bytes(damaged)
        again = TableMemory(path=tmp_path / "openkoi.db", embedder=Meanings())
        with caplog.at_level(logging.WARNING, "openkoi"):
            assert right == asyncio.run(again.search(query))
        assert damaged == whole or "rebuilt" in caplog.text
        assert whole == file.read_bytes()


def test_no_room_for_the_file_of_vectors_costs_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    subject = memory(tmp_path, Meanings())
    (tmp_path / "openkoi.db.vectors").mkdir()

    with caplog.at_level(logging.WARNING, "openkoi"):
        hits = search_project(subject, "which entrance", kinds=("transcript",))

    assert REPLY[0] == texts(hits)[0]
    assert "could not be written (Is a directory)" in caplog.text


def test_what_is_held_asks_the_tables_when_the_vectors_turn_out_damaged(tmp_path: Path) -> None:
    subject = memory(tmp_path, Meanings())
    search_project(subject, "which entrance")
    file = tmp_path / "openkoi.db.vectors"
    file.write_bytes(file.read_bytes()[:-40] + bytes(range(40)))
    documents = subject.file.read(load_documents)
    vectors = VectorStore(file, "meanings-3", 0.6, layers=VectorLayers(sidecar(file)))
    query = Query("which entrance", project="koi", kinds=("transcript",))
    meant = VectorQuery(Meanings().vector(query.text), vectors)
    assert documents is not None

    with pytest.raises(VectorsOutdatedError):
        rank_documents(documents, query, query_words(query), meant)

    best = subject.file.read(lambda there: rank_documents(DuckDBTables(there), query, query_words(query), meant))
    assert best is not None
    assert REPLY[0] in best[0].text


def test_what_is_held_answers_as_the_tables_do(tmp_path: Path) -> None:
    records = [
        *talk(),
        *run_records("t2", "Mend the calendar"),
        *talk(REPLY[::-1], "t3"),
        *run_records("t4", "Koi", project="b"),
    ]
    questions = [
        Query(text, project="koi", kinds=kinds, keys=keys, scope=scope)
        for text in ("blue gateway", "Koi, calendar and divisor")
        for kinds in ((), ("transcript", "none"))
        for keys in ((), ("mean.py",))
        for scope in ("project", "all")
    ]

    def answers(there: Documents) -> list[Sequence[FoundDocument]]:
        return [rank_documents(there, one, query_words(one)) for one in questions]

    def both(connection: "DuckDBPyConnection") -> tuple[list[Sequence[FoundDocument]], list[Sequence[FoundDocument]]]:
        return answers(DuckDBTables(connection)), answers(load_documents(connection))

    output = memory(tmp_path, records=records).file.read(both)

    assert output is not None
    assert output[0] == output[1]
    assert any(output[0])


def test_what_is_held_is_given_up_when_there_is_more(tmp_path: Path) -> None:
    subject = memory(tmp_path)
    os.utime(tmp_path / "openkoi.db", ns=(1, 1))
    for _ in range(3):
        assert [] == search_project(subject, "quarrel")
    assert subject.holding is not None
    assert subject.holding.current_documents(None) is not None

    asyncio.run(memory(tmp_path).ingest(talk(["They had a quarrel about the gateway."], "t9")))

    assert ["They had a quarrel about the gateway."] == texts(search_project(subject, "quarrel"))


def test_texts_without_vectors_of_another_embedder_are_counted_until_memory_is_built_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory(tmp_path, Meanings("one"))
    other = TableMemory(path=tmp_path / "openkoi.db", embedder=Meanings("two"))
    bare = "Memory has no vectors from two for 4 texts yet. To create them, run `openkoi memory rebuild`"

    with caplog.at_level(logging.WARNING, "openkoi"):
        assert [search_project(other, "gateway")] * 2 == [search_project(other, "gateway") for _ in range(2)]
    assert 1 == caplog.text.count(bare)
    assert "4 (run `openkoi memory rebuild` to create them)" == asyncio.run(other.health())["without vectors from two"]

    fresh = other.create_shadow()
    asyncio.run(fresh.ingest(talk()))
    asyncio.run(other.replace_with(fresh))
    assert {"file", "size", "entries", "embedder"} == set(asyncio.run(other.health()))
    assert REPLY[0] in texts(search_project(other, "entrance"))


class Measured(Meanings):
    """An embedder that knows the length of its vectors."""

    dimensions = 8


class Short(Meanings):
    """An embedder with the same name and another vector length."""

    def vector(self, text: str) -> list[float]:
        return super().vector(text)[3:]


@pytest.mark.row("MEM-09")
def test_vectors_of_a_wrong_length_that_were_kept_are_made_again(tmp_path: Path) -> None:
    memory(tmp_path, Short())

    subject = memory(tmp_path, Measured(), run_records("r1", "Paint"))

    lengths = subject.file.read(lambda c: c.execute("SELECT DISTINCT len(embedding) FROM memory_vec").fetchall())
    assert [(8,)] == lengths
    assert REPLY[0] == texts(search_project(subject, "which entrance", kinds=("transcript",)))[0]


@pytest.mark.row("MEM-09")
def test_questions_are_held_to_the_length_as_well(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    memory(tmp_path, Measured())
    again = TableMemory(path=tmp_path / "openkoi.db", embedder=Short())

    assert REPLY[0] == texts(search_project(again, "blue gateway", kinds=("transcript",)))[0]
    assert 1 == caplog.text.count("meanings-3 returned vectors of 5 numbers instead of 8")
