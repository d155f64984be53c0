"""Memory is told what is new in the log, and all of it again when it loses meanwhile what it knew."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from openkoi_cli.archive.compress_log import archive_oldest
from openkoi_cli.archive.segments import Log
from openkoi_duckdb import DuckDB
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import (
    Cost,
    Decision,
    Event,
    Hit,
    Memory,
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
from openkoi_hookspecs.events import ModelResponse, RunCompleted, TaskStarted, ToolCallFinished, ToolCallStarted
from openkoi_runlog import RunLog
from openkoi_runlog.memory_sync import MemorySync
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory import ids_of
from openkoi_testing.contracts.memory_log import run_records

PARSER = Query("mend the parser", project="koi", kinds=("task",))


class StruckDuckDB(DuckDB):
    """DuckDB's memory, whose index is deleted after it was looked at and before it is written."""

    struck = False

    async def ingest(self, records: Sequence[Record]) -> None:
        if not self.struck:
            self.struck = True
            shutil.rmtree(self.index.path)
        await super().ingest(records)


class StruckSQLite(SQLite):
    """SQLite's memory, whose file is damaged then."""

    struck = False

    async def ingest(self, records: Sequence[Record]) -> None:
        if not self.struck:
            self.struck = True
            self.path.write_bytes(b"no database at all " * 1_000)
        await super().ingest(records)


class Counting(TableMemory):
    """DuckDB's tables that count what they are told."""

    ingested_count = 0

    async def ingest(self, records: Sequence[Record]) -> None:
        self.ingested_count += len(records)
        await super().ingest(records)


class CountingDuckDB(DuckDB):
    """DuckDB's memory that counts what it is told."""

    ingested_count = 0

    async def ingest(self, records: Sequence[Record]) -> None:
        self.ingested_count += len(records)
        await super().ingest(records)


class Kept:
    """A memory that keeps what it is told for as long as it lives, and knows how far it has read."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    async def ingest(self, records: Sequence[Record]) -> None:
        self.records += records

    async def search(self, query: Query) -> Sequence[Hit]:
        return ()

    async def offsets(self) -> Mapping[str, int]:
        return {record.segment: record.end for record in self.records}


def logged(folder: Path, *runs: str, memory: Memory | None = None) -> MemorySync:
    """The log after these runs, a session each, with a memory."""
    for run in runs:
        log = RunLog(folder / "sessions", run, str)
        log.append(run, [record.event for record in run_records(run, f"Mend the parser of {run}")])
        log.close()

    async def load() -> Memory | None:
        return memory

    return MemorySync(folder / "sessions", pytest.fail, load)


@pytest.mark.parametrize(("sound", "struck"), [(DuckDB, StruckDuckDB), (SQLite, StruckSQLite)])
def test_what_memory_loses_while_it_is_told_is_told_again_in_the_same_run(
    tmp_path: Path, sound: type[DuckDB | SQLite], struck: type[DuckDB | SQLite]
) -> None:
    path = tmp_path / "memory.db"
    asyncio.run(logged(tmp_path, "r1", "r2").remember(sound(path=path)))

    hits = asyncio.run(logged(tmp_path, "r3", memory=struck(path=path)).search(PARSER))

    assert {"r1", "r2", "r3"} == set(ids_of(hits))
    assert (sound is SQLite) == (len([*tmp_path.glob("memory.db.bad-*")]) == 1)


def test_who_lost_nothing_is_told_everything_once(tmp_path: Path) -> None:
    memory = Counting(path=tmp_path / "memory.db")

    for run in ("r1", "r2"):
        asyncio.run(logged(tmp_path, run).remember(memory))

    assert 2 * len(run_records("r", "Mend it")) == memory.ingested_count


def test_a_memory_that_needs_some_kinds_is_told_those_and_how_far_the_log_was_read(tmp_path: Path) -> None:
    class Selecting(Kept):
        needs = (ModelResponse, RunCompleted)

    memory, run = Selecting(), run_records("r1", "Mend it")
    remembering = logged(tmp_path, "r1")

    asyncio.run(remembering.remember(memory))

    (segment,) = (tmp_path / "sessions").glob("*.jsonl")
    assert ["model.response", "model.response", "run.completed", run[-1].event.name] == [
        record.event.name for record in memory.records
    ]
    assert {segment.name: segment.stat().st_size} == asyncio.run(memory.offsets())


def test_responses_without_text_are_not_read_for_it(tmp_path: Path) -> None:
    class Selecting(Kept):
        needs = (ModelResponse,)

    memory, log = Selecting(), RunLog(tmp_path / "sessions", "s1", str)
    silent = ModelResponse("m", Response((ToolCall("c1", "read", {"path": "a"}),), StreamEnd(Usage())), 0.0)
    response = ModelResponse("m", Response((Text("I read it."),), StreamEnd(Usage())), 0.0)
    log.append("r1", [silent, response, silent, response])
    log.close()

    asyncio.run(logged(tmp_path).remember(memory))

    assert [response, response] == [record.event for record in memory.records]


def test_a_new_memory_is_told_what_was_put_away_too_and_all_of_it_once(tmp_path: Path) -> None:
    old, new = Kept(), Kept()
    remembering = logged(tmp_path, "r1", "r2", "r3")
    asyncio.run(remembering.remember(old))

    archive_oldest(Log(tmp_path), 1)
    for memory in (old, new, new):
        asyncio.run(remembering.remember(memory))

    assert 2 == len([*(tmp_path / "archive").glob("*.gz")])
    assert old.records == new.records


def test_what_was_written_after_memory_looked_is_told_from_where_it_was_put_away(tmp_path: Path) -> None:
    memory = Kept()
    remembering = logged(tmp_path, memory=memory)
    one, *rest = [record.event for record in run_records("r1", "Mend it")]
    log = RunLog(tmp_path / "sessions", "r1", str)
    log.append("r1", [one])
    asyncio.run(remembering.remember(memory))
    log.append("r1", rest)
    log.close()

    archive_oldest(Log(logged(tmp_path, "r2").folder.parent), 1)
    asyncio.run(remembering.remember(memory))

    assert [one, *rest] == [record.event for record in memory.records if record.run == "r1"]


def test_nothing_is_read_of_what_was_put_away_and_is_known(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    memory = Kept()
    remembering = logged(tmp_path, "r1", "r2", "r3")
    asyncio.run(remembering.remember(memory))
    archive_oldest(Log(tmp_path), 1)

    for path in (tmp_path / "archive").glob("*.gz"):
        path.write_bytes(b"x" * (path.stat().st_size - 4) + path.read_bytes()[-4:])
    asyncio.run(remembering.remember(memory))

    assert 3 * len(run_records("r", "Mend it")) == len(memory.records)
    assert [] == caplog.messages


def test_a_file_that_cannot_be_read_costs_memory_nothing_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    memory = Kept()
    remembering = logged(tmp_path, "r1", "r2", memory=memory)
    (tmp_path / "sessions" / "r0.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "sessions" / "r3.jsonl").mkdir()

    with caplog.at_level("WARNING", "openkoi"):
        asyncio.run(remembering.search(PARSER))
        asyncio.run(remembering.search(PARSER))

    assert {"r1", "r2"} == {record.run for record in memory.records}
    assert [True, True] == ["r0.jsonl" in caplog.messages[0], "r3.jsonl" in caplog.messages[1]]
    assert 2 == len(caplog.messages)


def test_a_search_takes_in_what_ended_runs_have_left_and_nothing_of_one_under_way(tmp_path: Path) -> None:
    memory = Kept()
    remembering = logged(tmp_path, "r1", memory=memory)
    event, *rest = [record.event for record in run_records("r2", "Mend it")]
    log = RunLog(tmp_path / "sessions", "r2", str)

    log.append("r2", [event])
    asyncio.run(remembering.remember(memory))
    log.append("r2", rest[:1])
    asyncio.run(remembering.search(PARSER))
    before = len(memory.records)
    log.append("r2", rest[1:])
    asyncio.run(remembering.search(PARSER))

    assert before == len(run_records("r1", "")) + 1
    assert [event, *rest] == [record.event for record in memory.records if record.run == "r2"]
    log.close()


def test_a_search_takes_in_what_a_killed_run_has_left(tmp_path: Path) -> None:
    memory = Kept()
    remembering = logged(tmp_path, memory=memory)
    log = RunLog(tmp_path / "sessions", "r1", str)
    log.append("r1", [run_records("r1", "Mend it")[0].event])
    log.close()

    asyncio.run(remembering.search(PARSER))

    assert 1 == len(memory.records)


class Slow(Kept):
    """A memory that takes its time, and counts how often it is told."""

    times = 0

    async def ingest(self, records: Sequence[Record]) -> None:
        self.times += 1
        await asyncio.sleep(0.01)
        await super().ingest(records)


def test_runs_that_end_together_are_taken_in_together_and_none_is_left_out(tmp_path: Path) -> None:
    memory = Slow()
    remembering = logged(tmp_path, memory=memory)

    async def end(run: str, wait: float) -> None:
        await asyncio.sleep(wait)
        log = RunLog(tmp_path / "sessions", run, str)
        log.append(run, [record.event for record in run_records(run, "Mend it")])
        log.close()
        await remembering.update()
        assert run in {record.run for record in memory.records}

    async def all_of_them() -> None:
        await asyncio.gather(*(end(f"r{number}", 0.001 * (number % 7)) for number in range(40)))

    asyncio.run(all_of_them())

    assert 40 * len(run_records("r", "")) == len(memory.records)
    assert 3 >= memory.times


def test_the_end_of_a_long_run_tells_memory_no_more_than_that_of_a_short_one(tmp_path: Path) -> None:
    def count_ingested(steps: int) -> int:
        """Return how many records the memory is told after a run of so many steps."""
        folder = tmp_path / str(steps)
        call = ToolCall("c1", "read_file", {"path": "a.txt"})
        step: list[Event] = [
            ModelResponse("acme/large", Response((call,), StreamEnd(Usage(input=80, output=10))), 0.25)
        ]
        step += [ToolCallStarted(call), ToolCallFinished(ToolResult("text", call="c1"))]
        ended = RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost(tokens=90), best=0, iterations=1)
        log = RunLog(folder / "sessions", "s", str)
        log.append("run", [TaskStarted(Task("Mend the parser")), *step * steps, ended])
        log.close()
        memory = CountingDuckDB(path=folder / "memory.db")
        asyncio.run(logged(folder).remember(memory))
        return memory.ingested_count

    assert 0 < count_ingested(1_000) == count_ingested(1)


def test_texts_that_are_said_while_memory_ingests_count_towards_the_next_part(tmp_path: Path) -> None:
    answer = ModelResponse("acme/a", Response((Text("Done."),), StreamEnd(Usage())), 0.0)

    class Overlapping(Kept):
        async def ingest(self, records: Sequence[Record]) -> None:
            await super().ingest(records)
            said(2)

    def said(times: int) -> None:
        for _ in range(times):
            syncing.count_text(Record("1", "2026-01-01T00:00:00", "r1", answer))

    syncing = logged(tmp_path, "r1", memory=Overlapping())
    said(3)
    asyncio.run(syncing.update())

    assert {"r1": 2} == syncing.texts
