"""Memory ingests a long run in parts while it is under way, and finds it as if it had read the log at once."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_duckdb import DuckDB
from openkoi_hookspecs import (
    Arguments,
    Effect,
    Hit,
    Limits,
    Query,
    Record,
    Run,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_hookspecs.events import ModelResponse
from openkoi_runlog.memory_sync import PART_TEXTS, MemorySync
from openkoi_scripted import Scripted, ScriptedTurn
from openkoi_search.scopes import TRANSCRIPT
from openkoi_testing import Scenario

STEPS = PART_TEXTS + PART_TEXTS // 2
LIMITS = Limits(iterations=0, cycles=STEPS + 10, tokens=10**9, seconds=600, calls=STEPS + 10)
SUBJECTS = ("parser", "ledger", "calendar", "webhook", "sandbox", "invoice", "gateway")


class Counting(DuckDB):
    """A memory that keeps how many texts it was given each time; ``given`` is set once it was."""

    texts: Sequence[int] = ()
    given: asyncio.Event

    async def ingest(self, records: Sequence[Record]) -> None:
        await super().ingest(records)
        self.texts = [*self.texts, sum(isinstance(record.event, ModelResponse) for record in records)]
        self.given.set()


class Looking:
    """A tool that waits at the last step until memory was given a part of the run."""

    def __init__(self, memory: Counting) -> None:
        self.memory = memory

    async def tools(self, run: Run) -> Sequence[Tool]:
        async def call(arguments: Arguments) -> ToolResult:
            if arguments["n"] == STEPS - 1:
                await self.memory.given.wait()
            return ToolResult(f"line {arguments['n']}")

        return [Tool("look", "Look.", {"type": "object", "properties": {"n": {}}}, call, effect=Effect.READS)]


def spoken(n: int) -> str:
    """Return what the model says at a step."""
    one, other = SUBJECTS[n % 7], SUBJECTS[n % 5]
    return f"Step {n}: the {one} depends on the {other}, whose fixture {n * 7 % 31} is next."


async def do(memory: Counting, folder: Path) -> None:
    """Do a task with so many steps, at each of which the model says what it does."""
    memory.given = asyncio.Event()
    turns = [ScriptedTurn((Text(spoken(n)), ToolCall(f"c{n}", "look", {"n": n}))) for n in range(STEPS)]
    stage = Scenario(model=Scripted([*turns, "done"]), memory=memory, tool_providers={"looking": Looking(memory)})
    async with stage.build_app(folder / "work", folder / "home") as koi:
        await koi.solve(Task("Look at the parser.", limits=LIMITS))
        await koi.drain()


def found(memory: DuckDB) -> list[Sequence[Hit]]:
    """Return what some questions find, and how well."""
    texts = [f"What does the {subject} need?" for subject in SUBJECTS]
    queries = [Query(text, scope="all", kinds=kinds, limit=50) for text in texts for kinds in ((), (TRANSCRIPT,))]
    return [asyncio.run(memory.search(query)) for query in queries]


def test_a_long_run_is_ingested_in_parts_and_found_as_in_a_memory_that_is_rebuilt(tmp_path: Path) -> None:
    memory, rebuilt = Counting(path=tmp_path / "own" / "memory.db"), DuckDB(path=tmp_path / "new" / "memory.db")
    (tmp_path / "work").mkdir()

    async def load() -> DuckDB:
        return rebuilt

    asyncio.run(do(memory, tmp_path))
    asyncio.run(MemorySync(tmp_path / "home" / "data" / "sessions", pytest.fail, load).update())

    first, *_ = memory.texts
    assert PART_TEXTS <= first < STEPS
    assert STEPS + 1 == sum(memory.texts)
    assert found(rebuilt) == found(memory)
    assert all(found(memory))
