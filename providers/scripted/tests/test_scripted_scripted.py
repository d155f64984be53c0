"""Test models scripted in code: their turns in order, whatever the request."""

import asyncio

import pytest

from openkoi_hookspecs import (
    Chunk,
    FinishReason,
    Image,
    Message,
    Model,
    ProviderUnavailableError,
    Reasoning,
    Request,
    RequestRejectedError,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
)
from openkoi_scripted import Scripted, ScriptedFailure, ScriptedFailureKind, ScriptedTurn

pytestmark = pytest.mark.unit


def heard(model: Scripted, text: str = "Go") -> list[Chunk]:
    async def chunks() -> list[Chunk]:
        return [chunk async for chunk in model.chat(Request([Message.user(text)]))]

    return asyncio.run(chunks())


def words(model: Scripted, text: str = "Go") -> str:
    return "".join(chunk.text for chunk in heard(model, text) if isinstance(chunk, Text))


def test_lines_come_in_order_and_the_last_one_stays() -> None:
    model = Scripted(["draft", "better draft"])

    assert ["draft", "better draft", "better draft"] == [words(model, text) for text in ("a", "b", "c")]


def test_a_script_that_does_not_repeat_ends_in_a_refusal() -> None:
    model = Scripted(["draft"], repeat_last=False)
    words(model)

    with pytest.raises(RequestRejectedError, match="All 1 turns of the script have been used"):
        words(model)


def test_a_script_without_lines_refuses() -> None:
    with pytest.raises(RequestRejectedError, match="All 0 turns of the script have been used"):
        words(Scripted([]))


def test_a_line_may_be_a_call_or_several_parts() -> None:
    call = ToolCall("mine", "read_file", {"path": "a"})
    model = Scripted([call, [Reasoning("hm"), Text("so"), ToolCall("", "list_files", {})]])

    assert [call, StreamEnd(Usage(input=1, output=6), FinishReason.TOOLS)] == heard(model)
    assert [Reasoning("hm"), Text("so"), ToolCall("call-2-3", "list_files", {})] == heard(model)[:-1]


def test_a_repeated_call_is_another_call() -> None:
    model = Scripted([ToolCall("mine", "list_files", {})])

    assert ["mine", "call-2-1"] == [call.id for _ in range(2) for call in heard(model) if isinstance(call, ToolCall)]


def test_a_turn_says_what_it_costs_and_how_it_fails() -> None:
    model = Scripted(
        [
            ScriptedTurn((Text("a"),), usage=Usage(input=5)),
            ScriptedTurn(fails=ScriptedFailure(ScriptedFailureKind.UNAVAILABLE, "overloaded")),
        ]
    )

    assert [Text("a"), StreamEnd(Usage(input=5))] == heard(model)
    with pytest.raises(ProviderUnavailableError, match="overloaded"):
        heard(model)


def test_what_the_model_was_asked_can_be_looked_at() -> None:
    model = Scripted(["yes"])
    words(model, "Is it?")

    assert [[Message.user("Is it?")]] == [request.messages for request in model.asked]


def test_it_pretends_to_be_the_model_it_is_given() -> None:
    facts = Model("tiny", context=100, output=10)

    assert [facts] == asyncio.run(Scripted([], model=facts).models())


def test_a_model_cannot_say_a_picture() -> None:
    with pytest.raises(TypeError, match="not Image"):
        Scripted([[Image(b"", "image/png")]])
