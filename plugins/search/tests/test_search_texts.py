"""Test searching any texts: by words, meaning, context and names."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from openkoi_hookspecs import Embedding, Passage
from openkoi_search import fusion, make_index, sparse_fusion
from openkoi_search.index import is_code
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_search.segment_documents import LexicalQuery
from openkoi_testing.contracts.memory import search_project
from openkoi_testing.contracts.memory_log import SUBJECTS, run_records, talk_records

REPLY = (
    "We chose the blue gateway for all invoices.",
    "Why did that one win over the others?",
    "Because the green one lost a webhook every night.",
    "The calendar is painted by hand, as it always was.",
)


class Meanings:
    """A small embedder that knows a few synonyms."""

    id = "meanings-2"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        return Embedding([[float("almanac" in text or "calendar" in text), 1e-6] for text in texts])


class Words(Meanings):
    """An embedder that knows only whole words, and records its input."""

    def __init__(self) -> None:
        self.given: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Embedding:
        self.given.extend(texts)
        return Embedding([[float(bool({"almanac", "calendar"} & {*text.split()})), 1.0] for text in texts])


def test_an_index_of_any_texts_answers_with_places_or_with_names() -> None:
    assert 0 == make_index(REPLY)("blue gateway", 1)[0]
    assert {0, 1, 2} == {*make_index(REPLY)("blue gateway", 3)}
    assert ["a"] == make_index({"a": REPLY[0], "b": REPLY[3]})("gateway", 1)
    assert [] == make_index(REPLY, embedder=None)("weather")
    assert [] == make_index([])("anything")
    assert 3 == make_index(REPLY, embedder=Meanings())("almanac", 1)[0]


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (iter(REPLY), 0),
        (tuple(REPLY), 0),
        ([("D1:1", REPLY[0]), ("D1:2", REPLY[3])], "D1:1"),
        ([[7, REPLY[0]], [8, REPLY[3]]], 7),
        ({(1, "a"): REPLY[0], (1, "b"): REPLY[3]}, (1, "a")),
        ([Passage("p1", REPLY[0]), Passage("p2", REPLY[3])], "p1"),
        ([{"id": "x", "text": REPLY[0]}, {"id": "y", "text": REPLY[3]}], "x"),
        ([{"text": REPLY[3]}, {"text": REPLY[0], "speaker": "Ann"}], 1),
    ],
)
def test_ids_come_back_as_they_were_given(chunks: Any, expected: object) -> None:
    assert [expected] == make_index(chunks)("the blue gateway", k=1)


@pytest.mark.parametrize(
    ("chunks", "how", "output"),
    [
        (["a", 3], {}, r"Chunk 1 \(type int\) has no text"),
        (["a"], {"parts": ["x", "y"]}, "parts has 2 entries for 1 texts"),
        (["a"], {"about": ["x", "y"]}, "about has 2 entries for 1 texts"),
        (["a"], {"embedder": "unheard"}, "Unknown embedder 'unheard'. Installed: "),
        (["a"], {"embedder": len}, "or None, not 'builtin_function_or_method'"),
    ],
)
def test_what_does_not_fit_is_told(chunks: Any, how: Any, output: str) -> None:
    with pytest.raises((TypeError, ValueError), match=output):
        make_index(chunks, **how)


def test_who_said_it_and_when_can_be_found_and_a_session_ends_what_is_beside() -> None:
    turns = [
        {"id": "D1:1", "speaker": "Ann", "date": "8 May, 2023", "session": 1, "text": "I moved."},
        {"id": "D2:1", "speaker": "Ben", "date": "9 June, 2023", "session": 2, "text": "How dull."},
    ]

    assert ["D1:1"] == make_index(turns, embedder=None)("What did Ann do in May?")
    assert ["D2:1"] == make_index(turns, embedder=None)("What happened in June?")


def test_an_id_that_several_texts_have_is_told_once() -> None:
    search = make_index([("a", REPLY[0]), ("a", REPLY[0]), ("b", REPLY[0])], embedder="lexical")

    assert ["a", "b"] == search("gateway", 2)
    assert [] == search("gateway", 0)


def test_texts_of_any_kind_are_taken() -> None:
    assert [2] == make_index(["", " ", "na\u00efve \u8a18\u61b6 \ud800", "x" * 100_000])("na\u00efve", 1)


def test_the_better_one_beside_counts_and_what_is_further_only_for_what_has_something() -> None:
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4)]

    assert {0: 1, 1: 0.56, 2: 0.4, 3: 0.2, 4: 0.1} == pytest.approx(
        sparse_fusion.with_neighbours({0: 1.0, 3: 0.2}, pairs, (0.5, 0.3))
    )


def test_neighbours_are_those_of_the_same_part_and_functions_have_none() -> None:
    apart = make_index(REPLY, parts=["a", "b", "b", "c"], embedder=None)
    functions = make_index(["def gateway(a):\n    return a[0]", "def other(b):\n    return {b: b[1]}"], embedder=None)

    assert [0] == apart("blue gateway")
    assert [0] == functions("gateway")


def test_words_and_their_pieces_count_when_nothing_is_said_of_an_embedder() -> None:
    search = make_index(REPLY)

    assert isinstance(search.similarity("webhooking"), LexicalQuery)
    assert fusion.LEXICAL_WEIGHT == search.weights.vectors
    assert 2 == search("webhooking", 1)[0]


@pytest.mark.parametrize(
    ("query", "name"),
    [("timezone total", "timezonetable"), ("total of webhoks", "webhook"), ("httpclient total", "client")],
)
def test_pieces_of_words_count_in_code_beside_the_meaning(query: str, name: str) -> None:
    functions = ["def total(other):\n    return other[0]", f"def total({name}):\n    return {name}[0]"]

    assert [1, 0] == make_index(functions, embedder=Meanings())(query, 2)


@pytest.mark.parametrize("name", ["oldCalendar", "calendar_of_year", "the_calendar"])
def test_code_is_moved_towards_the_meaning_of_the_names_that_it_defines(name: str) -> None:
    functions = ["def other(one):\n    return one[0]", f"def {name}(one):\n    return one[0]"]
    embedder = Words()

    assert 1 == make_index(functions, embedder=embedder)("almanac", 1)[0]
    assert {"other", name.replace("C", "_c").replace("_", " ")} < {*embedder.given}


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (False, '[D1:3] Ann (1:56 pm on 8 May, 2023): "Hey Ben! (Good to see you; how are you?)"'),
        (False, '{"speaker": "Ann", "date": "8 May 2023", "text": "I went to a support group yesterday."}'),
        (True, "def total(self):\n    return sum(one.price for one in self.items)"),
        (True, "function total(items) {\n  return items.reduce((a, b) => a + b.price, 0);\n}"),
    ],
)
def test_what_is_said_is_told_from_code(expected: bool, text: str) -> None:
    assert expected is is_code([text])


class Recorded(Meanings):
    """An embedder that records its input."""

    def __init__(self) -> None:
        self.given: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Embedding:
        self.given += texts
        return await super().embed(texts)


def test_an_embedder_is_given_each_text_once_and_each_question() -> None:
    embedder = Recorded()

    make_index(REPLY, embedder=embedder)("almanac", 2)

    assert [*REPLY, "almanac"] == embedder.given


def test_any_texts_are_searched_as_the_memory_is(tmp_path: Path) -> None:
    chance = random.Random(3)
    reply = [" ".join(chance.choices(SUBJECTS, k=chance.randint(4, 9))) for _ in range(60)]
    memory = IndexedMemory(tmp_path / "index", dimensions=1024, weight=fusion.LEXICAL_WEIGHT)
    asyncio.run(memory.ingest([*run_records("r1", "Talk")[:1], *talk_records("r1", *reply)]))
    search = make_index(reply)

    for _ in range(20):
        text = " ".join(chance.choices(SUBJECTS, k=3))
        hits = search_project(memory, text, kinds=("transcript",), limit=5, tokens=10_000)
        assert [reply[n] for n in search(text, 5)] == [hit.item.text for hit in hits], text
