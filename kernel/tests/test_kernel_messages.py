"""What the user says to a run under way: it stands in the conversation once, also when the run is resumed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Arguments,
    Effect,
    Handle,
    Limits,
    Record,
    Run,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    events,
)
from openkoi_testing import Scenario, Scripted, ScriptedTurn, write_log

REPLY = "Mention the carp."


class Speaking:
    """A tool during whose first call the user says something."""

    def __init__(self) -> None:
        self.handle: Handle | None = None

    async def tools(self, run: Run) -> Sequence[Tool]:
        async def call(arguments: Arguments) -> ToolResult:
            if self.handle and arguments["n"] == 0:
                self.handle.say(REPLY)
            return ToolResult("done")

        return [Tool("look", "Look.", {"type": "object"}, call, effect=Effect.READS)]


def turns(known: int) -> list[ScriptedTurn]:
    calls = [ScriptedTurn((ToolCall(f"call{n}", "look", {"n": n}),)) for n in range(2)]
    return [*calls, ScriptedTurn((Text("Carp."),))][known:]


def whole(folder: Path) -> tuple[str, list[Record]]:
    tool = Speaking()

    async def run() -> tuple[str, list[Record]]:
        async with Scenario(
            model=Scripted(turns(0)), others={"tools": {"look": tool}}, installed=frozenset()
        ).build_app(folder, folder / "home") as koi:
            tool.handle = koi.begin(Task("Look twice", limits=Limits(iterations=0)))
            result = await tool.handle.result()
            assert ("Carp.", tool.handle.id) == (result.text, result.run)
            return result.run, [record for record in koi.records(koi.session) if record.run]

    return asyncio.run(run())


def texts_sent(model: Scripted) -> str:
    """All user's texts of the last request."""
    last = model.asked[-1]
    return "\n".join(part.text for message in last.messages for part in message.parts if isinstance(part, Text))


def test_what_was_said_is_logged_between_the_results_and_the_next_answer(tmp_path: Path) -> None:
    _, records = whole(tmp_path)
    wanted = (events.MessageAdded, events.ModelResponse)
    kinds = [record.event for record in records if isinstance(record.event, wanted)]

    assert [False, True] == [event.from_user for event in kinds if isinstance(event, events.MessageAdded)]
    assert isinstance(kinds[1], events.ModelResponse)
    assert isinstance(kinds[2], events.MessageAdded)
    assert REPLY == kinds[2].message.parts[-1].text  # type: ignore[union-attr]  # it is a text


@pytest.mark.parametrize("left", range(2, 9))
def test_a_resumed_run_hears_it_once_where_it_was_said(tmp_path: Path, left: int) -> None:
    (tmp_path / "one").mkdir()
    id, records = whole(tmp_path / "one")
    known = [one for one in records if not isinstance(one.event, events.HooksCalled)][:-left]
    answered = sum(isinstance(record.event, events.ModelResponse) for record in known)
    model = Scripted(turns(answered) or ["never asked"])
    (tmp_path / "two").mkdir()
    write_log(tmp_path / "two" / "home", known)

    async def run() -> None:
        async with Scenario(model=model, others={"tools": {"look": Speaking()}}, installed=frozenset()).build_app(
            tmp_path / "two", tmp_path / "two" / "home"
        ) as koi:
            await koi.resume(id).result()

    asyncio.run(run())
    reply = any(isinstance(one.event, events.MessageAdded) and one.event.from_user for one in known)
    if model.asked:
        assert reply == (REPLY in texts_sent(model))
        assert 1 >= texts_sent(model).count(REPLY)
