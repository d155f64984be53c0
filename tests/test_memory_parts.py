"""Memory ingests a long run in parts while it is under way, and finds it as if it had read the log at once."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from openkoi_duckdb import DuckDB
from openkoi_hookspecs import (
    Arguments,
    Effect,
    Hit,
    Limits,
    Memory,
    Query,
    Record,
    Run,
    SupportsParts,
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
from openkoi_sqlite import SQLite
from openkoi_testing import Scenario

STEPS = PART_TEXTS + PART_TEXTS // 2
LIMITS = Limits(iterations=0, cycles=STEPS + 10, tokens=10**9, seconds=600, calls=STEPS + 10)
SUBJECTS = ("parser", "ledger", "calendar", "webhook", "sandbox", "invoice", "gateway")


class Counting:
    """The common part of these memories: they record how many texts they got; ``given`` is set after the first."""

    texts: Sequence[int] = ()
    given: asyncio.Event

    async def ingest(self, records: Sequence[Record]) -> None:
        await super().ingest(records)  # type: ignore[misc]  # the memory that it is mixed with
        self.texts = [*self.texts, sum(isinstance(record.event, ModelResponse) for record in records)]
        self.given.set()


class InParts(Counting, DuckDB):
    """A memory that ingests a run in parts."""


class AtTheEnd(Counting, SQLite):
    """A memory that ingests a run when it has ended."""


class Looking:
    """A tool that at the last step keeps what memory finds, once it was given a part, if it takes parts.

    Then it does what is ``last``.
    """

    def __init__(self, memory: InParts | AtTheEnd, last: Callable[[], None]) -> None:
        self.memory, self.last, self.found = memory, last, list[Hit]()

    async def tools(self, run: Run) -> Sequence[Tool]:
        async def call(arguments: Arguments) -> ToolResult:
            if arguments["n"] == STEPS - 1:
                if isinstance(self.memory, SupportsParts):
                    await self.memory.given.wait()
                self.found += await self.memory.search(Query(spoken(1), scope="all", kinds=(TRANSCRIPT,)))
                self.last()
            return ToolResult(f"line {arguments['n']}")

        return [Tool("look", "Look.", {"type": "object", "properties": {"n": {}}}, call, effect=Effect.READS)]


def spoken(n: int) -> str:
    """Return the model's text at a step."""
    one, other = SUBJECTS[n % 7], SUBJECTS[n % 5]
    return f"Step {n}: the {one} depends on the {other}, whose fixture {n * 7 % 31} is next."


async def do(memory: InParts | AtTheEnd, folder: Path, last: Callable[[], None] = lambda: None) -> list[Hit]:
    """Do a task with a number of steps, each with text of the model; return the results of its last step."""
    memory.given = asyncio.Event()
    turns = [ScriptedTurn((Text(spoken(n)), ToolCall(f"c{n}", "look", {"n": n}))) for n in range(STEPS)]
    looking = Looking(memory, last)
    stage = Scenario(model=Scripted([*turns, "done"]), memory=memory, tool_providers={"looking": looking})
    async with stage.build_app(folder / "work", folder / "home") as koi:
        await koi.solve(Task("Look at the parser.", limits=LIMITS))
        await koi.drain()
    return looking.found


def found(memory: Memory) -> list[Sequence[Hit]]:
    """Return the results of some questions, with scores."""
    texts = [f"What does the {subject} need?" for subject in SUBJECTS]
    queries = [Query(text, scope="all", kinds=kinds, limit=50) for text in texts for kinds in ((), (TRANSCRIPT,))]
    return [asyncio.run(memory.search(query)) for query in queries]


def remembered(memory: Memory) -> list[str]:
    """Return all transcripts in memory."""
    query = Query("Which step is next?", scope="all", kinds=(TRANSCRIPT,), limit=10 * STEPS, tokens=10**9)
    return sorted(hit.item.text for hit in asyncio.run(memory.search(query)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with an empty workspace."""
    (tmp_path / "work").mkdir()
    return tmp_path


def rebuild(folder: Path, memory: Memory) -> Memory:
    """Return a memory that has read the log of a folder."""

    async def load() -> Memory:
        return memory

    asyncio.run(MemorySync(folder / "home" / "data" / "sessions", pytest.fail, load).update())
    return memory


def test_a_long_run_is_ingested_in_parts_and_found_before_it_ends(folder: Path) -> None:
    memory = InParts(path=folder / "own" / "memory.db")

    early = asyncio.run(do(memory, folder))

    first, *_ = memory.texts
    assert PART_TEXTS <= first < STEPS
    assert STEPS + 1 == sum(memory.texts)
    assert spoken(1) in early[0].item.text
    assert found(rebuild(folder, DuckDB(path=folder / "new" / "memory.db"))) == found(memory)
    assert all(found(memory))


def test_a_memory_without_parts_ingests_a_long_run_at_its_end(folder: Path) -> None:
    memory = AtTheEnd(path=folder / "own" / "memory.db")

    early = asyncio.run(do(memory, folder))

    assert [] == early
    assert [STEPS + 1] == memory.texts
    assert found(rebuild(folder, SQLite(path=folder / "new" / "memory.db"))) == found(memory)
    assert all(found(memory))


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
def test_a_run_that_is_killed_after_some_parts_is_in_memory_once(folder: Path) -> None:
    command = [sys.executable, str(Path(__file__).with_name("parts_run.py")), str(folder)]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    memory = DuckDB(path=folder / "own" / "memory.db")
    early = remembered(memory)

    rebuild(folder, memory)  # as the next start does

    assert (-signal.SIGKILL, "") == (killed.returncode, killed.stderr)
    assert PART_TEXTS <= len(early) < STEPS
    assert sorted(map(spoken, range(STEPS))) == remembered(memory)
    assert found(rebuild(folder, DuckDB(path=folder / "new" / "memory.db"))) == found(memory)
