"""Recall beyond words: what was said, what it means, what was said beside it; and vectors whose file is damaged."""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from openkoi_duckdb import DuckDB, make_index
from openkoi_duckdb.scanning import Scanned
from openkoi_hookspecs import Embedding, Hit, Query, Record, Task
from openkoi_hookspecs.events import Replied, TaskStarted
from openkoi_testing.contracts.memory import found, ids
from openkoi_testing.contracts.memory_log import a_run, told

SAID = (
    "We chose the blue gateway for all invoices.",
    "Why did that one win over the others?",
    "Because the green one lost a webhook every night.",
    "The calendar is painted by hand, as it always was.",
)
ALIKE = ({"gateway", "door", "entrance"}, {"calendar", "almanac", "diary"}, {"webhook", "callback"})


class Meanings:
    """A small embedder that knows a few words of the same meaning."""

    def __init__(self, id: str = "meanings-3") -> None:
        self.id = id
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Embedding:
        self.asked += texts
        return Embedding([self.vector(text.lower()) for text in texts])

    def vector(self, text: str) -> list[float]:
        counts = [float(any(word in text for word in words)) for words in ALIKE] + [0.0] * 5
        counts[3 + len(text) % 5] = float(not any(counts))
        length = sum(counts) ** 0.5
        return [count / length for count in counts]


class Broken(Meanings):
    async def embed(self, texts: Sequence[str]) -> Embedding:
        raise OSError("no model")


def talk(said: Sequence[str] = SAID, run: str = "t1") -> list[Record]:
    """A run in which a person said this."""
    events = [Replied(f"q{n}", text) for n, text in enumerate(said)]
    return told(run, [TaskStarted(Task("Talk", session="s1", project="koi")), *events])


def memory(folder: Path, embedder: Meanings | None = None, records: Sequence[Record] = ()) -> DuckDB:
    """A memory that has taken in records."""
    made = DuckDB(path=folder / "openkoi.db", seconds=30.0, embedder=embedder)
    asyncio.run(made.absorb(records or talk()))
    return made


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.memo.text for hit in hits]


@pytest.mark.row("MEM-07")
def test_what_was_said_is_found_with_what_was_said_before_and_after(tmp_path: Path) -> None:
    hits = found(memory(tmp_path), "blue gateway", kinds=("transcript",))

    assert list(SAID[:2]) == texts(hits)
    assert "s1" == hits[0].memo.origin


def test_a_project_does_not_hear_what_was_said_in_another(tmp_path: Path) -> None:
    assert [] == found(memory(tmp_path), "blue gateway", project="other")


def test_who_does_not_ask_for_transcripts_gets_few_pieces(tmp_path: Path) -> None:
    said = [f"The gateway has the number {n} on its door." for n in range(12)]
    subject = memory(tmp_path, records=[*a_run("r1", "Mend the gateway"), *talk(said)])

    hits = found(subject, "gateway")

    assert 6 == len(hits)
    assert "r1" in ids(hits)


@pytest.mark.row("MEM-10")
def test_meaning_finds_what_shares_no_word(tmp_path: Path) -> None:
    subject = memory(tmp_path, Meanings())

    assert SAID[0] == texts(found(subject, "which entrance", kinds=("transcript",)))[0]
    assert [] == found(subject, "what is the weather like")


@pytest.mark.row("MEM-09")
def test_model_and_dimension_stand_with_each_vector_and_another_model_embeds_anew(tmp_path: Path) -> None:
    memory(tmp_path, Meanings())
    other = Meanings("meanings-4")

    subject = memory(tmp_path, other, a_run("r1", "Paint"))

    stands = subject.file.read(
        lambda c: c.execute("SELECT model, dimension, count(*) FROM embedded GROUP BY ALL").fetchall()
    )
    lengths = subject.file.read(lambda c: c.execute("SELECT DISTINCT len(embedding) FROM memory_vec").fetchall())
    assert [("meanings-4", 8, 5)] == stands
    assert [(8,)] == lengths
    assert 5 == len(other.asked)
    asyncio.run(subject.absorb(a_run("r1", "Paint")))
    assert 5 == len(other.asked)


def test_an_embedder_that_fails_is_said_once_and_words_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "openkoi"):
        hits = found(memory(tmp_path, Broken()), "blue gateway", kinds=("transcript",))

    assert list(SAID[:2]) == texts(hits)
    assert "Memory goes by words alone" in caplog.text


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def flipped(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def torn(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) - 1)
    return data[:place] + bytes(len(data) - place)


def narrower(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b'"dimensions": 8', b'"dimensions": 4')


DAMAGES = (cut, flipped, torn, narrower)
Damage = Callable[[bytes, random.Random], bytes]


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 27), marks=pytest.mark.campaign)])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_of_vectors_answers_nothing_wrong_and_is_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Damage, seeds: range
) -> None:
    asked = Query("which entrance or almanac", project="koi", kinds=("transcript",))
    right = asyncio.run(memory(tmp_path, Meanings()).search(asked))
    file = tmp_path / "openkoi.db.vectors"
    whole = file.read_bytes()

    for seed in seeds:
        caplog.clear()
        damaged = damage(whole, random.Random(seed))
        file.write_bytes(damaged)
        again = DuckDB(path=tmp_path / "openkoi.db", embedder=Meanings())
        with caplog.at_level(logging.WARNING, "openkoi"):
            assert right == asyncio.run(again.search(asked))
        assert damaged == whole or "made again" in caplog.text
        assert whole == file.read_bytes()


def test_no_room_for_the_file_of_vectors_costs_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    subject = memory(tmp_path, Meanings())
    (tmp_path / "openkoi.db.vectors").mkdir()

    with caplog.at_level(logging.WARNING, "openkoi"):
        hits = found(subject, "which entrance", kinds=("transcript",))

    assert SAID[0] == texts(hits)[0]
    assert "could not be written" in caplog.text


def test_an_index_of_any_texts_answers_with_places_or_with_names() -> None:
    assert [0, 1] == make_index(SAID)("blue gateway", 2)
    assert ["a"] == make_index({"a": SAID[0], "b": SAID[3]})("gateway", 1)
    assert [] == make_index(SAID)("weather")
    assert [] == make_index([])("anything")
    assert 3 == make_index(SAID, embedder=Meanings())("almanac", 1)[0]


def test_neighbours_are_those_of_the_same_part_and_functions_have_none() -> None:
    apart = make_index(SAID, parts=["a", "b", "b", "c"])

    assert [0] == apart("blue gateway")
    assert [0] == make_index(["def gateway(a): return a[0]", "def other(b): return {b: (b)}"])("gateway")


def test_signs_find_what_all_numbers_find() -> None:
    import numpy

    chance = numpy.random.default_rng(5)
    centres = chance.normal(size=(60, 64))
    rows = (centres[chance.integers(60, size=3_000)] + 0.4 * chance.normal(size=(3_000, 64))).astype(numpy.float32)
    rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
    scanned = Scanned(rows)

    exact, _ = scanned.nearest(rows[7].tolist(), 10)

    likely = scanned.likely(rows[7], 300, None)
    assert set(exact.tolist()) <= set(likely.tolist())
