"""What the demo's script promises: told turn by turn over real files, it mends one bug, then both."""

import asyncio
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from openkoi_cli.demo import TASK, prepare_project
from openkoi_cli.demo.setup import HERE, MODEL
from openkoi_hookspecs import (
    Chunk,
    Message,
    Part,
    Provider,
    Request,
    Role,
    StreamEnd,
    Tool,
    ToolCall,
    ToolResult,
)

RED = "tests/test_sharing.py::TestSharing::test_no_cent_is_lost fails: AssertionError: 1000 != 999"
RUBRIC = "Score correctness, safety, style and completeness of this diff."


async def unreached(_: object) -> ToolResult:
    return ToolResult("")


TOOLS = [Tool(name, "", {}, unreached) for name in ("read_file", "edit_file")]


def test_the_first_attempt_mends_one_bug_and_the_second_both(tmp_path: Path) -> None:
    copy = prepare_project(tmp_path)
    assert "FAILED (failures=5)" == result_of_tests(copy)
    executor = Executor(copy)

    executor.hears(TASK)
    first = judged(f"+    return [round(total / people)] * people\n{RUBRIC}")
    assert "FAILED (failures=3)" == result_of_tests(copy)
    assert '"correctness": 0.55' in first

    executor.hears(RED)
    second = judged(f"+    return [len(range(friend, total, people)) for friend in range(people)]\n{RUBRIC}")
    assert "OK" == result_of_tests(copy)
    assert '"correctness": 0.96' in second


def test_a_fresh_second_attempt_mends_the_rest_too(tmp_path: Path) -> None:
    copy = prepare_project(tmp_path)
    Executor(copy).hears(TASK)

    Executor(copy).hears(f"{TASK}\n{RED}")

    assert "OK" == result_of_tests(copy)


def test_what_is_recalled_from_the_first_demo_does_not_lead_the_second_astray(tmp_path: Path) -> None:
    copy, script = prepare_project(tmp_path), (HERE / "demo.yaml").read_text(encoding="utf-8")
    executor = Executor(copy)

    executor.hears(f"{TASK}\nFrom earlier: {script}")
    executor.hears(RED)

    assert "OK" == result_of_tests(copy)


class Executor:
    """A conversation with the scripted model, whose calls are carried out on real files."""

    def __init__(self, copy: Path) -> None:
        self.copy = copy
        self.history: list[Message] = []

    def hears(self, text: str) -> None:
        """Say something and do what the model asks for until it has nothing more to ask."""
        self.history.append(Message.user(text))
        while calls := self.answered():
            self.history.append(Message.user(*(self.done(call) for call in calls)))

    def answered(self) -> list[ToolCall]:
        chunks = heard(Request(self.history, model=MODEL.partition("/")[2], tools=TOOLS))
        parts = cast("tuple[Part, ...]", tuple(c for c in chunks if not isinstance(c, StreamEnd)))
        self.history.append(Message(Role.ASSISTANT, parts))
        return [part for part in parts if isinstance(part, ToolCall)]

    def done(self, call: ToolCall) -> ToolResult:
        path = self.copy / str(call.arguments["path"])
        text = path.read_text(encoding="utf-8")
        if call.tool == "read_file":
            return ToolResult(text, call=call.id)
        search, replace = str(call.arguments["search"]), str(call.arguments["replace"])
        assert 1 == text.count(search)
        path.write_text(text.replace(search, replace), encoding="utf-8")
        return ToolResult(f"Edited {path.name}.\n- {search}\n+ {replace}", call=call.id)


def judged(prompt: str) -> str:
    return "".join(getattr(chunk, "text", "") for chunk in heard(Request([Message.user(prompt)], model="demo")))


def heard(request: Request) -> list[Chunk]:
    """Ask the scripted model, chosen by name as the kernel does."""
    (entry,) = importlib.metadata.entry_points(group="openkoi.providers", name="scripted")
    provider = cast("Provider", entry.load()(folder=str(HERE)))  # what the group promises

    async def chunks() -> list[Chunk]:
        return [chunk async for chunk in provider.chat(request)]

    return asyncio.run(chunks())


def result_of_tests(copy: Path) -> str:
    """Run the project's own tests and return the last line of the report."""
    command = [sys.executable, "-m", "unittest", "discover", "--start-directory", "tests"]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, check=False)
    return result.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("name", ["read_file", "edit_file"])
def test_the_script_asks_for_tools_that_are_in_the_default_set(name: str) -> None:
    assert f"tool: {name}" in (HERE / "demo.yaml").read_text(encoding="utf-8")
