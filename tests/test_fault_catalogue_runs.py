"""Test the catalogue's layers `tool` and `proto` in whole runs: nothing wrong is ever executed."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from data_files import Case, case_name, fault_cases

from openkoi_hookspecs import (
    Chunk,
    FinishReason,
    Message,
    Model,
    Price,
    Request,
    RequestRejectedError,
    Role,
    Run,
    StopReason,
    StreamEnd,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_http import ToolCallFactory
from openkoi_runlog.report import build_report
from openkoi_testing import FinishedRun, Scenario, run_scenario

LONGEST_NAME = 4_096


def protocol_case(id: str) -> Case:
    return next(case for case in fault_cases("proto") if case["id"] == id)


@dataclass
class Reader:
    """A tool provider with one tool, which records its actual arguments."""

    schema: Mapping[str, Any]
    executed: list[Mapping[str, Any]] = field(default_factory=list)

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tool."""

        async def read(arguments: Mapping[str, Any]) -> ToolResult:
            if len(str(arguments["path"])) > LONGEST_NAME:
                raise OSError("File name too long")
            self.executed.append(arguments)
            return ToolResult("text")

        return [Tool("read", "Read a file.", self.schema, read)]


@dataclass
class Asking:
    """A model that asks for the calls of each turn, then answers."""

    turns: Sequence[Sequence[ToolCall]]
    asked: list[Request] = field(default_factory=list)

    async def models(self) -> Sequence[Model]:
        """Return one model."""
        return [Model("script", context=100_000, output=1_000, price=Price(0.0, 0.0))]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Ask, or answer."""
        turn = len(self.asked)
        self.asked.append(request)
        for call in self.turns[turn] if turn < len(self.turns) else ():
            yield call
        if turn >= len(self.turns):
            yield Text("Done.")
        yield StreamEnd(Usage(input=10, output=5), FinishReason.TOOLS if turn < len(self.turns) else FinishReason.END)


def run_with(model: Asking, box: Reader) -> FinishedRun:
    long = {"models.known.scripted/script.output": 60_000}  # room for the longest arguments of the catalogue
    return run_scenario(Task("Look at it"), Scenario(model=model, tool_providers={"box": box}, settings=long))


SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@pytest.mark.parametrize("case", fault_cases("tool"), ids=case_name)
def test_arguments_are_run_as_they_are_meant_or_not_at_all(case: Case) -> None:
    call = ToolCallFactory().make("call_1", "read", case["given"]["arguments"])
    model, box = Asking([[call]]), Reader(case["given"]["schema"])
    report = run_with(model, box)
    [result] = [record.event.result for record in report.records if isinstance(record.event, events.ToolCallFinished)]

    if case["expect"]["outcome"] == "call":
        assert [case["expect"]["args"]] == box.executed
        assert not result.failed
    else:
        assert [] == box.executed
        assert result.failed
        assert result.text
    assert "Done." == report.result.text


def test_the_same_id_twice_is_two_calls_with_a_result_each() -> None:
    case = protocol_case("P02")
    calls = ToolCallFactory()
    turn = [calls.make(one["id"], one["name"], one["arguments"]) for one in case["given"]["tool_calls"]]
    model, box = Asking([turn]), Reader(SCHEMA)
    run_with(model, box)
    results = [part for part in model.asked[1].messages[-1].parts if isinstance(part, ToolResult)]

    assert case["expect"]["count"] == len(results) == len({result.call for result in results})
    assert ["a", "b"] == [arguments["path"] for arguments in box.executed]


def test_two_hundred_calls_in_one_turn_are_bounded_and_each_has_a_result() -> None:
    case = protocol_case("P04")
    turn = [ToolCall(one["id"], "read", {"path": f"{one['id']}.py"}) for one in case["given"]["tool_calls"]]
    model, box = Asking([turn]), Reader(SCHEMA)
    run_with(model, box)
    results = [part for part in model.asked[1].messages[-1].parts if isinstance(part, ToolResult)]

    assert 0 < len(box.executed) <= case["expect"]["executed_at_most"]
    assert {call.id for call in turn} == {result.call for result in results}


def test_a_model_that_goes_to_and_fro_is_stopped() -> None:
    case = protocol_case("P08")
    turns = [
        [ToolCall(str(number), "read", {"path": case["given"]["alternate"][number % 2]})]
        for number in range(case["given"]["times"])
    ]
    model = Asking(turns)
    report = run_with(model, Reader(SCHEMA))

    assert StopReason.LOOP is report.result.iterations[0].work.ended
    assert len(model.asked) <= case["expect"]["by_call_at_most"]


class Forgetful(Asking):
    """A model that accepts only a number of messages."""

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Refuse what is too long."""
        if len(request.messages) > 5:
            raise RequestRejectedError(
                "acme says: prompt is too long: 250000 tokens > 200000 maximum.", context_overflow=True
            )
        async for chunk in super().chat(request):
            yield chunk


def test_a_conversation_that_is_too_long_is_shortened_and_goes_on() -> None:
    turns = [[ToolCall(str(number), "read", {"path": f"{number}.py"})] for number in range(4)]
    model = Forgetful(turns)
    report = run_with(model, Reader(SCHEMA))

    assert "Done." == report.result.text
    assert any(isinstance(record.event, events.HistoryCompacted) for record in report.records)
    assert any("Omitting the oldest turns" in text for text in build_report(report.records).build_result()["warnings"])
    for request in model.asked:
        assert are_paired(request.messages)
        assert "Look at it" in str(request.messages[0].parts)


def test_a_request_that_cannot_be_shortened_is_refused_and_not_asked_for_ever() -> None:
    class Tiny(Asking):
        async def chat(self, request: Request) -> AsyncIterator[Chunk]:
            """Refuse everything."""
            self.asked.append(request)
            raise RequestRejectedError("acme says: prompt is too long.", context_overflow=True)
            yield Text("")

    model = Tiny([])

    with pytest.raises(RequestRejectedError, match="prompt is too long"):
        run_with(model, Reader(SCHEMA))
    assert len(model.asked) <= 3


def are_paired(messages: Sequence[Message]) -> bool:
    """Return whether each call of the model's has its result in the next turn."""
    asked: set[str] = set()
    for message in messages:
        answered = {part.call for part in message.parts if isinstance(part, ToolResult)}
        if answered != asked:
            return False
        asked = {p.id for p in message.parts if isinstance(p, ToolCall)} if message.role is Role.ASSISTANT else set()
    return not asked
