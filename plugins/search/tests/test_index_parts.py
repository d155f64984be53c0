"""Test that a run indexed in parts is found like one indexed at once, at no higher cost."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from openkoi_hookspecs import Hit, Query, Record
from openkoi_hookspecs.events import ConversationRewound, RunResumed
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_search.scopes import TRANSCRIPT
from openkoi_testing.contracts.memory_log import SUBJECTS, records_of, run_records, talk_records

DAY = 86_400.0  # seconds
QUESTIONS = ("What did the parser need?", "the ledger of the webhook", "cache and calendar", "Fix the sandbox")


def spoken(count: int, seed: int) -> list[str]:
    """Return a number of messages."""
    choice = Random(seed)
    return [f"Message {n}: the {' and the '.join(choice.sample(SUBJECTS, 4))} need work." for n in range(count)]


def long_run(run: str, messages: int, seed: int, start: float) -> list[Record]:
    """Return the records of a run with a number of messages before its first evaluation."""
    first, *rest = run_records(run, f"Fix the {SUBJECTS[seed % len(SUBJECTS)]}", start=start)
    said = talk_records(run, *spoken(messages, seed), start=start + 1)
    return [first, *said, *(replace(record, at=last_second(record, start)) for record in rest)]


def last_second(record: Record, start: float) -> str:
    """Return the time of a record, moved after all messages."""
    [moved] = records_of("", [record.event], start=start + 3_600)
    return f"{moved.at[:-1]}{record.id[-3:]}Z"


def two_runs() -> list[Record]:
    """Return a log in which two runs take turns, the second of which is rewound and resumed."""
    one, other = long_run("one", 60, 1, 0.0), long_run("other", 40, 2, 0.5)
    after = records_of("other", [ConversationRewound("one"), RunResumed()], start=DAY)
    more = talk_records("other", *spoken(5, 3), start=2 * DAY)
    fresh = [replace(record, id=f"late-{record.id}") for record in (*after, *more)]
    return [*sorted([*one, *other], key=lambda record: record.at), *fresh]


def indexed(folder: Path, parts: Sequence[Sequence[Record]]) -> IndexedMemory:
    """Return a memory that was given parts of a log, one after the other."""
    memory = IndexedMemory(folder, dimensions=1024, weight=0.3)
    for part in parts:
        asyncio.run(memory.ingest(part))
    return memory


def split(log: Sequence[Record], size: int) -> list[Sequence[Record]]:
    """Return a log in parts of a size."""
    return [log[start : start + size] for start in range(0, len(log), size)]


def hits(memory: IndexedMemory, kinds: tuple[str, ...] = ()) -> list[Sequence[Hit]]:
    """Return the results of some questions, with scores."""
    return [asyncio.run(memory.search(Query(text, project="koi", kinds=kinds))) for text in QUESTIONS]


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_parts_are_found_with_the_same_scores_as_the_whole(tmp_path: Path, size: int) -> None:
    log = two_runs()
    for end in (50, 100, len(log) - 6, len(log) - 5, len(log)):
        whole = indexed(tmp_path / f"whole{end}", [log[:end]])
        parts = indexed(tmp_path / f"parts{end}", split(log[:end], size))

        assert hits(whole) == hits(parts)
        assert hits(whole, (TRANSCRIPT,)) == hits(parts, (TRANSCRIPT,))
        assert any(hits(parts, (TRANSCRIPT,)))


@pytest.mark.parametrize("seed", range(4))
def test_parts_in_any_order_are_found_as_the_whole(tmp_path: Path, seed: int) -> None:
    log, order = two_runs(), Random(seed)
    parts = split(log, 9)
    order.shuffle(parts)
    again = [*parts, parts[0]]

    assert hits(indexed(tmp_path / "whole", [log])) == hits(indexed(tmp_path / "parts", again))


def test_a_part_of_a_long_run_adds_no_more_than_its_own_pieces(tmp_path: Path) -> None:
    first, *said = long_run("one", 100, 1, 0.0)[:101]
    memory = indexed(tmp_path, [[first, *said[:90]], said[90:95], said[95:]])

    assert [90, 5, 5] == [segment.size for segment in memory.folder.read().segments]
    assert [0, 0, 0] == [len(dead) for dead in memory.folder.read().dead]
