"""The prompt of a task that was run, and that its beginning never changes while it runs."""

import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from openkoi_cli.context.command import context
from openkoi_cli.context.from_log import TOOLS_NAME, Sessions, read_prompt
from openkoi_cli.context.output import format_table
from openkoi_cli.context.prompt_layers import make_task_pieces
from openkoi_hookspecs import (
    File,
    Hit,
    KoiError,
    Layer,
    Learning,
    Limits,
    Message,
    Plan,
    Query,
    Recall,
    Record,
    Request,
    Role,
    Run,
    Section,
    Task,
    Text,
    ToolCall,
    hookimpl,
)
from openkoi_runlog import encode
from openkoi_scripted import Scripted
from openkoi_testing import Scenario, run_scenario
from openkoi_testing.scenario import FinishedRun

READS = [ToolCall("", "read_file", {"path": f"{number}.md"}) for number in range(4)]


class Restless:
    """A memory that answers otherwise each time it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take nothing in."""

    async def search(self, query: Query) -> Sequence[Hit]:
        self.asked += 1
        return [Hit(Learning("L1", "heuristic", f"The pen is in drawer {self.asked}."), 1.0)]


class Adds:
    """A hook that adds something to the plan, and something else before each execution."""

    def __init__(self) -> None:
        self.times = 0

    @hookimpl
    def before_plan(self, task: Task, recall: Recall, run: Run) -> Sequence[Section]:
        return [Section("rules", "Use tabs. " * 20, layer=Layer.PROJECT)]

    @hookimpl
    async def before_execute(self, plan: Plan, run: Run) -> Sequence[Section]:
        self.times += 1
        await run.search(Query("pen"))
        return [Section("clock", f"It struck {self.times} just now.")]


def done(folder: Path, script: Scripted, memory: Restless) -> FinishedRun:
    for number in range(4):
        (folder / f"{number}.md").write_text(f"Drawer {number} is empty.\n" * 20)
    stage = Scenario(model=script, memory=memory, plugins={"adds": Adds()})
    return run_scenario(Task("Find the pen.", limits=Limits(iterations=0)), stage, folder)


def wire(facts: object) -> str:
    """Facts as they could be sent."""
    return json.dumps(encode(facts))


def prefix(request: Request) -> str:
    """A request up to the end of its messages: what is added comes after it."""
    tools = [(tool.name, tool.description, dict(tool.parameters)) for tool in request.tools]
    return f"{wire(tools)}{wire(request.system)}{wire(request.messages)}"[:-1]


def test_every_request_begins_with_the_one_before_byte_for_byte(tmp_path: Path) -> None:
    """What was recalled is frozen for the task: it is asked for again meanwhile, and answered otherwise."""
    script, memory = Scripted([*READS, "It is not there."]), Restless()
    done(tmp_path, script, memory)

    assert 1 < memory.asked
    assert len(READS) + 1 == len(script.asked)
    assert all(prefix(after).startswith(prefix(before)) for before, after in pairwise(script.asked))
    assert all("drawer 1." in wire(request.messages) for request in script.asked)
    assert not any("drawer 2." in wire(request.messages) for request in script.asked)


def test_a_recorded_task_tells_its_sections_and_how_it_grew(tmp_path: Path) -> None:
    prompt = read_prompt(done(tmp_path, Scripted([*READS, "It is not there."]), Restless()).records)
    report = {(piece.layer, piece.name): piece for piece in prompt.pieces}

    assert "Find the pen." == prompt.task
    assert "adds" == report["project", "rules"].source
    assert 50 == report["project", "rules"].tokens
    assert "memory" == report["task", "learned"].source
    assert "adds" == report["loop", "for one iteration"].source
    assert ("loop", "5 model turns") in report
    assert ("loop", "4 tool results") in report
    assert "tools" == prompt.pieces[0].layer
    assert ("system", "instructions") in report
    assert TOOLS_NAME == prompt.pieces[0].name
    assert prompt.notes[0].startswith("Requests: 5 (first ")
    assert "Task: Find the pen." == format_table(prompt).splitlines()[0]


def test_what_was_said_before_and_the_files_of_a_task_are_pieces_of_its_own() -> None:
    history = (Message.user("word " * 80), Message(Role.ASSISTANT, (Text("Yes."),)))
    task = Task("Find the pen.", history=history, parts=(File(b"ink " * 100, "text/plain", "ink.txt"),))
    pieces = make_task_pieces(task)

    found = [(piece.name, piece.tokens) for piece in pieces]
    assert [("earlier messages", 101), ("the task", 3), ("ink.txt", 100)] == found


def test_a_task_whose_beginning_is_gone_says_so() -> None:
    with pytest.raises(KoiError, match="start of this task is missing from the log"):
        read_prompt([])


def asked(folder: Path, *words: str) -> str:
    stage = Scenario(says=["Found."], others={"contexts": {"log": Sessions(folder / "home" / "data" / "sessions")}})
    result = CliRunner().invoke(context, words, obj=stage.build_app(folder, folder / "home"), catch_exceptions=False)
    assert 0 == result.exit_code, result.output
    return result.output


def test_the_command_tells_of_what_was_run_and_of_what_is_to_be(tmp_path: Path) -> None:
    with pytest.raises(KoiError, match="No tasks yet"):
        asked(tmp_path)

    async def run() -> str:
        async with Scenario(says=["Found."]).build_app(tmp_path, tmp_path / "home") as koi:
            await koi.solve(Task("Find the pen.", limits=Limits(iterations=0)))
            return next(iter(koi.records(""))).run

    id = asyncio.run(run())

    assert "Task: Find the pen." in asked(tmp_path)
    assert "1 model turn" in asked(tmp_path, id[:8])
    assert "find_tool" in asked(tmp_path, "Mend the date parser")
    report = json.loads(asked(tmp_path, "--format", "json", "Mend", "the", "parser"))
    assert "Mend the parser" == report["task"]
    assert report["tokens"] == sum(piece["tokens"] or 0 for piece in report["pieces"])
