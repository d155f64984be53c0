"""Readers in the process that writes a segment skip blocks without what they need, and find the same as all others."""

import asyncio
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from openkoi_duckdb import DuckDB
from openkoi_hookspecs import (
    Cost,
    Decision,
    Event,
    NextAction,
    Query,
    Record,
    Response,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from openkoi_hookspecs.events import (
    CycleStarted,
    LearningSaved,
    ModelResponse,
    RunCompleted,
    TaskStarted,
    ToolCallFinished,
    ToolCallStarted,
    UnknownEvent,
    WarningIssued,
)
from openkoi_runlog import RunLog, read_new, read_segment
from openkoi_runlog.memory_sync import MemorySync
from openkoi_runlog.select_records import iterate_needed, name_needed
from openkoi_search.scopes import TRANSCRIPT

CALL = ToolCall("c1", "read_file", {"path": "a.txt"})
SILENT = ModelResponse("acme/large", Response((CALL,), StreamEnd(Usage())), 0.25)
SPOKEN = replace(
    SILENT,
    response=Response((Text("The parser in a.txt fails on empty lines."), CALL), StreamEnd(Usage())),
    role="executor",
)
STEP: list[Event] = [
    CycleStarted(0, 9),
    SILENT,
    ToolCallStarted(CALL, "Reading"),
    ToolCallFinished(ToolResult("x" * 300, call="c1")),
]
ENDED = RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost(tokens=90), best=0, iterations=1)


@dataclass(frozen=True)
class Warmed(Event):
    """An event whose name is not ASCII."""

    name = "pond.wärmer"


@dataclass(frozen=True)
class Quoted(Event):
    """An event whose name cannot be read from the start of a line."""

    name = 'pond."warm"'


MOST_LINES = 60  # of those here, in two blocks
KINDS: Sequence[Collection[type[Event]]] = (
    (ModelResponse,),
    (WarningIssued, TaskStarted),
    (ToolCallFinished,),
    (RunCompleted, LearningSaved),
    (),
)


@pytest.mark.parametrize("textless", [True, False])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_segment_reads_the_same_while_it_is_written(
    kinds: Collection[type[Event]], textless: bool, tmp_path: Path
) -> None:
    draw, log = random.Random(5), RunLog(tmp_path, "s", str)
    log.append("run", [TaskStarted(Task("Fix the parser"))])
    for _ in range(60):
        log.append("run", STEP * draw.choice((1, 1, 9)))
        if draw.random() < 0.1:
            log.append("run", [draw.choice((SPOKEN, ENDED, WarningIssued("x" * draw.choice((1, 20_000)))))])
    starts = [0, *(record.end for record in draw.sample(list(read_segment(log.path)), 6)), log.end]

    def read() -> list[list[Record]]:
        """Return the records that are found from each start on."""
        needed = name_needed(kinds, textless=textless)
        return [list(read_segment(log.path, start, pytest.fail, needed)) for start in starts]

    written = read()
    log.close()

    assert read() == written
    assert 2 <= len(written[0])


@pytest.mark.parametrize(
    "event", [UnknownEvent({"type": WarningIssued.name, "data": {"text": "late"}}), Warmed(), Quoted()]
)
def test_a_record_is_found_while_it_is_written_however_its_kind_is_spelled(event: Event, tmp_path: Path) -> None:
    log = RunLog(tmp_path, "s", str)
    for happened in (STEP * 50, [event], STEP * 50, STEP * 50):
        log.append("run", happened)

    def read() -> list[str]:
        """Return the kinds of the records that are found, without the last one, which always is."""
        needed = name_needed((WarningIssued, Warmed))
        return [type(record.event).__name__ for record in read_segment(log.path, needed=needed)][:-1]

    written = read()
    log.close()

    assert 1 == len(written)
    assert read() == written


def test_new_records_are_read_once_while_they_are_written(tmp_path: Path) -> None:
    log, ends, found = RunLog(tmp_path, "s", str), dict[str, int](), list[str]()
    for number in range(50):
        log.append("run", [*STEP * 5, WarningIssued(str(number))])
        if number % 7 == 0:
            found += [record.event.text for record in read_new(log.path, (WarningIssued,), ends)]  # type: ignore[attr-defined]  # of this kind
    log.close()
    found += [record.event.text for record in read_new(log.path, (WarningIssued,), ends)]  # type: ignore[attr-defined]  # of this kind

    assert [str(number) for number in range(50)] == found
    assert {log.path.name: log.path.stat().st_size} == ends


def test_what_another_process_has_added_since_is_read_too(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "s", str)
    log.append("run", STEP * 50)
    log.append("run", [WarningIssued("first")])
    *_, last = log.path.read_bytes().splitlines(keepends=True)
    with log.path.open("ab") as file:
        file.write(last)

    assert 2 == len(list(read_segment(log.path, needed=name_needed((WarningIssued,)))))
    log.close()


def test_the_end_of_a_long_run_reads_as_few_lines_as_that_of_a_short_one(tmp_path: Path) -> None:
    async def lines_read(steps: int) -> int:
        """Return how many lines are read of a run of so many steps, for a memory of what was said and how it ended."""
        log = RunLog(tmp_path / str(steps), "s", str)
        log.append("run", [TaskStarted(Task("Fix the parser"))], sync=False)
        for _ in range(steps):
            log.append("run", STEP, sync=False)
        log.append("run", [ENDED], sync=False)
        await log.commit("run")
        needed = name_needed((TaskStarted, ModelResponse, RunCompleted), textless=False)
        lines = list(iterate_needed(log.path, 0, needed))
        log.close()
        return len(lines)

    assert [True, True] == [asyncio.run(lines_read(steps)) <= MOST_LINES for steps in (50, 2_000)]


def test_memory_is_the_same_whether_the_process_that_wrote_the_log_fills_it_or_another(tmp_path: Path) -> None:
    own, other = (DuckDB(path=tmp_path / name / "memory.db") for name in ("own", "other"))
    log = RunLog(tmp_path / "sessions", "s", str)
    log.append("run", [TaskStarted(Task("Fix the parser", project="koi", session="s"))])
    for number in range(200):
        log.append("run", [*STEP, SPOKEN] if number == 99 else STEP)
    log.append("run", [ENDED])

    fill(own, log.folder)
    log.close()
    fill(other, log.folder)

    query = Query("Fix the parser in a.txt", project="koi", kinds=("task", TRANSCRIPT))
    hits, offsets = asyncio.run(own.search(query)), asyncio.run(own.offsets())
    assert 2 == len(hits)
    assert (asyncio.run(other.search(query)), asyncio.run(other.offsets())) == (hits, offsets)


def fill(memory: DuckDB, sessions: Path) -> None:
    """Let a memory ingest all that is new in the log."""

    async def load() -> DuckDB:
        return memory

    asyncio.run(MemorySync(sessions, pytest.fail, load).update("s"))
