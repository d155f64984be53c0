"""The prompt of a task that is about to be run: who adds what, while no model is called and nothing is written."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_cli.context.preview import preview_prompt
from openkoi_cli.context.prompt_layers import LAYERS, Prompt
from openkoi_hookspecs import (
    Arguments,
    Hit,
    Layer,
    Learning,
    LimitExceededError,
    Message,
    Passage,
    Plan,
    Query,
    Recall,
    Record,
    Request,
    Run,
    Section,
    Task,
    Tool,
    ToolResult,
    hookimpl,
)
from openkoi_hookspecs.events import WarningIssued
from openkoi_scripted import Scripted
from openkoi_testing import Scenario

PEN = Learning("L1", "heuristic", "The pen is in the drawer.")
PAGE = Passage("P1", "A page said that pens are blue.")


class Remembers:
    """A memory that answers otherwise each time."""

    def __init__(self) -> None:
        self.asked: list[Query] = []

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take nothing in."""

    async def search(self, query: Query) -> Sequence[Hit]:
        self.asked.append(query)
        pen = Learning("L1", "heuristic", f"{PEN.text} Looked up {len(self.asked)} times.")
        return [Hit(pen, 1.0), Hit(PAGE, 0.5)]


class Adds:
    """A hook that adds a section of each layer, and tries what a look must not do."""

    @hookimpl
    async def before_plan(self, task: Task, recall: Recall, run: Run) -> Sequence[Section]:
        await run.emit(WarningIssued("I was here."))
        with pytest.raises(LimitExceededError):
            await run.chat(Request([Message.user("Hello")]))
        return [
            Section("manners", "Be kind. " * 40, layer=Layer.SYSTEM),
            Section("rules", "Use tabs.", layer=Layer.PROJECT),
            Section("mail", "Dear koi", untrusted=True),
        ]


class Drawer:
    async def tools(self, run: Run) -> Sequence[Tool]:
        async def call(arguments: Arguments) -> ToolResult:
            return ToolResult("")

        return [Tool("pen", "Write.", {}, call), Tool("ink", "Fill the pen.", {}, call, deferred=True)]


class Broken:
    async def tools(self, run: Run) -> Sequence[Tool]:
        raise ValueError("it is jammed")


def look(folder: Path) -> tuple[Prompt, Scripted, Sequence[Record]]:
    script = Scripted(["never said"])
    stage = Scenario(
        model=script,
        memory=Remembers(),
        plugins={"adds": Adds()},
        tool_providers={"broken": Broken(), "drawer": Drawer()},
        installed=frozenset(),
    )

    async def looked() -> tuple[Prompt, Sequence[Record]]:
        async with stage.build_app(folder, folder / "home") as koi:
            prompt = await preview_prompt(koi, Task("Find the pen."))
            return prompt, list(koi.records(""))

    prompt, records = asyncio.run(looked())
    return prompt, script, records


def test_each_section_stands_in_its_layer_with_who_added_it(tmp_path: Path) -> None:
    prompt, _, _ = look(tmp_path)

    assert [
        ("tools", "pen", "drawer"),
        ("tools", "find_tool, call_tool (for ink)", "openkoi"),
        ("system", "instructions", "openkoi"),
        ("system", "manners", "adds"),
        ("project", "rules", "adds"),
        ("task", "the task", "you"),
        ("task", "learned", "memory"),
        ("task", "recall", "memory"),
        ("task", "mail", "adds"),
    ] == [(piece.layer, piece.name, piece.source) for piece in prompt.pieces]
    assert ["recall", "mail"] == [piece.name for piece in prompt.pieces if piece.quoted]
    assert 90 == next(piece.tokens for piece in prompt.pieces if piece.name == "manners")


def test_no_model_is_called_and_nothing_is_written(tmp_path: Path) -> None:
    _, script, records = look(tmp_path)

    assert [] == list(script.asked)
    assert [] == list(records)


def test_a_tool_provider_that_fails_is_named(tmp_path: Path) -> None:
    prompt, _, _ = look(tmp_path)

    assert "The tools of broken cannot be loaded: it is jammed" in prompt.notes


def test_the_layers_are_those_of_the_plan() -> None:
    assert ("tools", "system", "project", "task", "loop") == LAYERS
    assert () == Plan().sections
