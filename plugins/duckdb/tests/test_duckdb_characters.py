"""Test records that no table can store unchanged: texts with lone surrogates or NUL, and values of a wrong type."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openkoi_duckdb.sanitize import storable
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Cost, Evaluation, ExecutionResult, Finding, Learning, Query, Record, Task, Usage
from openkoi_hookspecs.events import (
    EvaluationFinished,
    ExecutionFinished,
    IterationFinished,
    RunFailed,
    TaskStarted,
    UsageRecorded,
)
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import LINE_BYTES, paid_response, run_records, saving_record

CAMPAIGN = pytest.mark.campaign
BAD = ["\0", pytest.param("\udcff", marks=CAMPAIGN), pytest.param("\ud800\udc00"[:1], marks=CAMPAIGN)]
FAR = 10**30
Change = Callable[[Record], Any]  # an event of a kind that depends on the change


def memory(folder: Path) -> TableMemory:
    return TableMemory(path=folder / "openkoi.db")


def tainted(bad: str) -> list[Record]:
    """Return a finished run with the bad text in every text field."""
    records = run_records("r1", f"Mend the par{bad}ser of invoices{bad}", session=f"s{bad}", project="koi")
    task = Task(f"Mend the{bad} parser", context=bad, category=bad, channel=bad, session=f"s{bad}", project="koi")
    finding = Finding(f"Slow{bad}", rule=bad, where=f"a{bad}.py:3", detail=bad, fix=bad)
    changed = {
        0: TaskStarted(task, model=f"acme/{bad}", workspace=bad),
        3: ExecutionFinished(ExecutionResult(f"a draft{bad}", files=(f"mean{bad}.py",))),
        4: EvaluationFinished(Evaluation(findings=(finding,), unavailable_reason=bad, suggestion=bad, log=bad), (bad,)),
        13: UsageRecorded("Task", bad, category=bad, skills=(bad,), score=0.5),
    }
    return [replace(record, event=changed.get(n, record.event)) for n, record in enumerate(records)]


@pytest.mark.parametrize("bad", BAD, ids=["nul", "low", "high"])
def test_no_text_stops_intake_or_search(tmp_path: Path, bad: str) -> None:
    learning = Learning(f"L{bad}", "heuristic", f"Mind the parser{bad}", keys=(bad, "parser.py"), evidence=(bad,))
    subject = memory(tmp_path)

    asyncio.run(subject.ingest([*tainted(bad), saving_record(learning, "r1", start=30)]))
    asyncio.run(subject.ingest(run_records("r2", "Mend the parser", start=60.0)))

    assert {"r1", "r2", "L\ufffd"} == set(ids_of(search_project(subject, f"the {bad} parser")))
    assert len(run_records("r1", "")) * LINE_BYTES == asyncio.run(subject.offsets())["r1.jsonl"]


@pytest.mark.parametrize("bad", BAD, ids=["nul", "low", "high"])
def test_any_field_of_a_question_may_hold_any_text(tmp_path: Path, bad: str) -> None:
    subject = memory(tmp_path)
    asyncio.run(subject.ingest(run_records("r1", "Mend the parser")))

    for query in (Query(bad), Query("parser", project=bad), Query("parser", kinds=(bad,)), Query("x", keys=(bad,))):
        assert [] == list(asyncio.run(subject.search(query)))


def test_a_clean_fact_is_left_as_it_is() -> None:
    fact = Evaluation(findings=(Finding("größer als 鯉 🐟"),))

    assert storable(fact) is fact


def far(record: Record) -> IterationFinished:
    return IterationFinished(FAR, 0.5, Cost())


def odd(record: Record) -> ExecutionFinished:
    return ExecutionFinished(ExecutionResult("", files=(object(),)))  # type: ignore[arg-type]  # what a plugin may get wrong


def foreign(record: Record) -> RunFailed:
    return replace(RunFailed("x"), reason={1: {2: object()}})  # type: ignore[arg-type]  # as above


def costly(record: Record) -> object:
    reply = paid_response(1, 2).response
    return replace(paid_response(1, 2), response=replace(reply, done=replace(reply.done, usage=Usage(input="9"))))  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("change", [far, odd, *(pytest.param(one, marks=CAMPAIGN) for one in (foreign, costly))])
def test_a_record_that_cannot_be_taken_is_passed_over_and_the_others_are_taken(
    tmp_path: Path, change: Change, caplog: pytest.LogCaptureFixture
) -> None:
    good, bad = run_records("r1", "Mend the parser"), run_records("r2", "Mend the invoice parser")
    broken = [replace(record, event=change(record)) if n == 7 else record for n, record in enumerate(bad)]
    subject = memory(tmp_path)

    with caplog.at_level(logging.WARNING, "openkoi"):
        asyncio.run(subject.ingest(good[:5] + broken + good[5:]))

    assert {"r1.jsonl": len(good) * LINE_BYTES, "r2.jsonl": len(bad) * LINE_BYTES} == asyncio.run(subject.offsets())
    assert {"r1", "r2"} == set(ids_of(search_project(subject, "parser")))
    assert "skipped 1 record of the run log" in caplog.text
    assert "'r2-007'" in caplog.text
    assert [] == [*tmp_path.glob("*.bad-*")]


def test_a_record_of_no_known_time_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    records = run_records("r1", "Mend the parser")
    timeless = [
        replace(record, at="one day") if isinstance(record.event, UsageRecorded) else record for record in records
    ]

    with caplog.at_level(logging.WARNING, "openkoi"):
        asyncio.run(memory(tmp_path).ingest(timeless))

    assert {"r1.jsonl": len(records) * LINE_BYTES} == asyncio.run(memory(tmp_path).offsets())
    assert "one day" in caplog.text
    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))


def test_a_run_that_cannot_be_told_stops_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    nameless = Task(None, project="koi")  # type: ignore[arg-type]  # what a plugin may get wrong
    first, *rest = run_records("r1", "Mend the parser")
    subject = memory(tmp_path)

    with caplog.at_level(logging.WARNING, "openkoi"):
        asyncio.run(
            subject.ingest([replace(first, event=TaskStarted(nameless)), *rest, *run_records("r2", "The parser")])
        )

    assert {"r1.jsonl", "r2.jsonl"} == set(asyncio.run(subject.offsets()))
    assert ["r2"] == ids_of(search_project(subject, "parser"))
    assert "'r1-000'" in caplog.text
