"""Test that lost parts of an answer are never invented: no tool runs with other arguments than it was given."""

import json
from typing import Any

import pytest

from openkoi_hookspecs import Chunk, Message, ProviderUnavailableError, Role, Text, ToolCall, ToolResult
from openkoi_http import Server
from openkoi_openai import chat, responses
from openkoi_openai.chat.messages import encode_message as chat_turns
from openkoi_openai.responses.messages import encode_message as response_turns

SERVER = Server("models.example")


def ending(answer: chat.ChatResponseParser | responses.ResponsesParser, *frames: Any) -> list[Chunk]:
    heard = [answer.event(frame if isinstance(frame, str) else json.dumps(frame)) for frame in frames]
    return [*(chunk for chunks in heard for chunk in chunks or ()), *answer.finish()]


def read(*deltas: Any, reason: str = "stop") -> list[Chunk]:
    frames = [{"choices": [{"delta": delta}]} for delta in deltas]
    return ending(chat.ChatResponseParser(SERVER), *frames, {"choices": [{"delta": {}, "finish_reason": reason}]})


def completed(*frames: Any, status: str = "completed", **report: Any) -> list[Chunk]:
    response = {"status": status, **report}
    return ending(responses.ResponsesParser(SERVER), *frames, {"type": "response.completed", "response": response})


def called(arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "read", "arguments": arguments}}]}


def item(**more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": "a", "name": "read", "arguments": "", **more}


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


@pytest.mark.parametrize("twice", ['{"path":"a","path":"b"}', '{"of":[{"n":1,"n":2}]}', '{"n":1e999}', '{"n":NaN}'])
def test_arguments_that_come_as_an_object_are_as_strictly_read(twice: str) -> None:
    delta = json.dumps({"choices": [{"delta": called("HERE"), "finish_reason": "tool_calls"}]})
    text = json.dumps({"type": "response.output_item.done", "item": item(arguments="HERE")})

    for chunks in (
        ending(chat.ChatResponseParser(SERVER), delta.replace('"HERE"', twice)),
        completed(text.replace('"HERE"', twice)),
    ):
        (call,) = calls(chunks)
        assert "not a valid JSON object" in call.parse_error


def test_arguments_may_come_as_one_object() -> None:
    whole: dict[str, Any] = {"path": "x"}

    assert calls(read(called(whole), called(""))) == [ToolCall("a", "read", whole)]
    assert calls(read(called({}), called('{"path":"x"}'))) == [ToolCall("a", "read", whole)]
    assert calls(read(called(whole), called(whole)))[0].parse_error


def test_a_call_that_is_incomplete_says_so() -> None:
    (call,) = calls(completed({"type": "response.output_item.done", "item": item(status="incomplete")}))

    assert "not a valid JSON object" in call.parse_error


@pytest.mark.parametrize("delta", [{}, {"reasoning_content": "Hm."}, {"content": ""}])
def test_an_empty_answer_is_none(delta: Any) -> None:
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read(delta)
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        completed(output=[])
    with pytest.raises(ProviderUnavailableError, match="announced tool calls but sent none"):
        read(delta, reason="tool_calls")
    assert read(delta, reason="length")
    assert read(delta, reason="content_filter")


def test_an_answer_may_stream_as_messages() -> None:
    frame = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}

    assert ending(chat.ChatResponseParser(SERVER), frame)[0] == Text("x")
    assert read({"content": "x"}) == read({"content": "x"}, {})
    twice = {"choices": [{"delta": {}, "message": {"content": "x"}}]}
    assert ending(chat.ChatResponseParser(SERVER), twice, frame)[:-1] == [Text("x")]


def test_a_function_call_of_old_is_a_call() -> None:
    pieces = [{"function_call": {"name": "read", "arguments": '{"path"'}}, {"function_call": {"arguments": ':"x"}'}}]
    (call,) = calls(read(*pieces, reason="function_call"))

    assert (call.tool, call.arguments) == ("read", {"path": "x"})
    assert len(calls(read({**called("{}"), "function_call": {"name": "read"}}))) == 1


def test_a_call_that_only_comes_at_the_end_is_made() -> None:
    reply = {"type": "response.output_text.delta", "delta": "x"}
    known = {"type": "response.output_item.done", "item": item()}

    assert [call.id for call in calls(completed(reply, output=[item()]))] == ["a"]
    assert [call.id for call in calls(completed(reply, known, output=[item(), item(call_id="b", arguments="{}")]))] == [
        "a",
        "b",
    ]
    assert [call.id for call in calls(completed(reply, known, output=[item(call_id="b")]))] == ["a"]


def test_ids_and_names_are_such_as_the_server_takes() -> None:
    ids = ("functions.read:0", "a b", "a\nb", "x" * 5000)
    message = Message(Role.ASSISTANT, tuple(ToolCall(id, "re ad\n", {}) for id in ids))
    answered = Message.user(*(ToolResult("x", call=id) for id in ids))
    (turn,) = chat_turns(message)
    report: Any = turn["tool_calls"]
    results = [result["tool_call_id"] for result in chat_turns(answered)]
    items: Any = list(response_turns(message))

    assert [call["id"] for call in report] == results == [one["call_id"] for one in items]
    assert results[0] == ids[0]
    assert len(set(results)) == 4
    assert max(len(str(result)) for result in results) <= 64
    assert {call["function"]["name"] for call in report} == {one["name"] for one in items}
    assert all(one["name"].startswith("re_ad_") for one in items)
