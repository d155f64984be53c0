"""Test the parsing of answers of the Responses API: complete, in pieces, and broken."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from openkoi_hookspecs import (
    Buffered,
    Chunk,
    FinishReason,
    Message,
    Reasoning,
    Request,
    Role,
    StreamEnd,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from openkoi_openai import OpenAI
from openkoi_openai.responses.reasoning_signatures import split_items
from openkoi_testing.servers import OpenAIServer, Say
from openkoi_testing.servers.say import Words

HELLO = Request([Message.user("Hello")], model="gpt-fake")
READ = ToolCall("call_1", "read", {"path": "ä"})
LIST = ToolCall("call_2", "list", {"deep": True, "of": [1, {}]})
USAGE = Usage(input=9, output=5, cache_read=3)


def provider(**settings: Any) -> OpenAI:
    return OpenAI(**{"api_key": "sk-test", "api": "responses", "summary": "auto", **settings})


async def hear(provider: OpenAI, request: Request = HELLO) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(request) if not isinstance(chunk, Buffered)]


def heard(answer: Say | Words) -> list[Chunk]:
    """The received events from a server with this answer."""
    with OpenAIServer(answer) as server:
        return asyncio.run(hear(provider(base_url=server.url)))


def read(*frames: Any, type: str = "text/event-stream") -> list[Chunk]:
    """Parse these events, or one document, without a connection."""
    report = "".join(f"data: {frame if isinstance(frame, str) else json.dumps(frame)}\n\n" for frame in frames)
    content = report if "event" in type else json.dumps(frames[0])
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=content, headers={"content-type": type}))
    return asyncio.run(hear(provider(transport=wire)))


def delta_event(delta: Any, kind: str = "output_text") -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "delta": delta}


def done(**item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "item": item}


def asked(name: Any = "read", arguments: Any = "{}", call_id: Any = "a") -> dict[str, Any]:
    return done(type="function_call", call_id=call_id, name=name, arguments=arguments)


def ended(status: str = "completed", **report: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": {"status": status, **report}}


def sealed(number: int) -> dict[str, Any]:
    return done(type="reasoning", id=f"rs_{number}", summary=[], encrypted_content=f"secret {number}")


def calls(chunks: Sequence[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def seals(chunks: Sequence[Chunk]) -> list[list[Any]]:
    """The encrypted content of each signed reasoning part."""
    thoughts = [chunk for chunk in chunks if isinstance(chunk, Reasoning) and chunk.signature]
    return [[item["encrypted_content"] for item in split_items(thought.signature)] for thought in thoughts]


def test_words_come_as_they_are_said_and_usage_last() -> None:
    usage = Usage(input=9, output=2, cache_read=7, cache_write=4)

    assert heard(Say("Héllo 😀", delta=3, usage=usage)) == [Text("Hél"), Text("lo "), Text("😀"), StreamEnd(usage)]


@pytest.mark.parametrize("whole", [False, True])
def test_thoughts_are_told_before_words_and_sealed(whole: bool) -> None:
    chunks = heard(Say([Reasoning("Hm.", "secret"), "Yes.", READ, LIST], delta=50, whole=whole))
    thoughts = [chunk.text for chunk in chunks if isinstance(chunk, Reasoning)]

    assert "Hm." == "".join(thoughts)
    assert [["secret"]] == seals(chunks)
    assert [Text("Yes."), READ, LIST, StreamEnd(USAGE, FinishReason.TOOLS)] == chunks[len(thoughts) :]


def test_a_thought_between_two_calls_stays_between_them() -> None:
    chunks = read(sealed(1), asked(call_id="a"), sealed(2), asked(call_id="b"), ended())

    assert [Reasoning, ToolCall, Reasoning, ToolCall, StreamEnd] == [type(chunk) for chunk in chunks]
    assert [["secret 1"], ["secret 2"]] == seals(chunks)


def test_thoughts_right_after_another_are_under_one_seal() -> None:
    first, second = seals(read(sealed(1), sealed(2), delta_event("x"), ended()))

    assert (["secret 1"], ["secret 1", "secret 2"]) == (first, second)


def test_parts_of_a_summary_are_paragraphs() -> None:
    part = {"type": "response.reasoning_summary_part.added", "summary_index": 1}
    first, second = delta_event("One.", "reasoning_summary_text"), delta_event("Two.", "reasoning_summary_text")

    assert read(first, part, second, delta_event("x"), ended())[:3] == [
        Reasoning("One."),
        Reasoning("\n\n"),
        Reasoning("Two."),
    ]


def test_a_conversation_with_thoughts_and_calls_goes_on() -> None:
    async def ask() -> list[Chunk]:
        async with provider(base_url=server.url) as openai:
            first = [chunk async for chunk in openai.chat(HELLO)]
            parts = tuple(chunk for chunk in first if not isinstance(chunk, Buffered | StreamEnd))
            results = Message.user(*(ToolResult("x", call=call.id) for call in calls(first)))
            story = [*HELLO.messages, Message(Role.ASSISTANT, parts), results]
            return [chunk async for chunk in openai.chat(Request(story, model="gpt-fake"))]

    with OpenAIServer([Reasoning("Hm.", "secret"), READ, LIST], "Done.") as server:
        assert asyncio.run(ask())[-1] == StreamEnd(USAGE)
    items: Any = server.asked[1]["input"]

    kinds = ["message", "reasoning", "function_call", "function_call", "function_call_output", "function_call_output"]
    assert kinds == [item["type"] for item in items]
    assert items[1]["encrypted_content"] == "secret"


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("", FinishReason.END),
        ("length", FinishReason.LENGTH),
        ("content_filter", FinishReason.REFUSED),
        ("refusal", FinishReason.REFUSED),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_why_it_stopped_is_told(finish: str, stop: FinishReason, whole: bool) -> None:
    assert heard(Say("x", finish=finish, whole=whole)) == [Text("x"), StreamEnd(USAGE, stop)]


@pytest.mark.parametrize("finish", ["length", "content_filter", "refusal"])
def test_no_tool_is_called_by_an_answer_that_did_not_come_to_its_end(finish: str) -> None:
    assert not calls(heard(Say(["x", READ], finish=finish)))


@pytest.mark.parametrize("arguments", ['{"path":', '{"a":1}{"b":2}', "[]", "null", '{"a":1,"a":2}', 5, None])
def test_a_call_that_cannot_be_read_says_so_and_the_others_are_made(arguments: Any) -> None:
    bad, good, _ = read(asked(arguments=arguments), asked(call_id="b"), ended())

    assert isinstance(bad, ToolCall)
    assert ("a", "read", {}) == (bad.id, bad.tool, bad.arguments)
    assert "not a valid JSON object" in bad.parse_error
    assert ToolCall("b", "read", {}) == good


@pytest.mark.parametrize("name", ["", None, 5])
def test_a_call_without_a_name_says_so(name: Any) -> None:
    [call] = calls(read(asked(name), ended()))

    assert "no tool name" in call.parse_error


@pytest.mark.parametrize("id", ["", None, "same", 7])
def test_each_call_has_an_id_of_its_own(id: Any) -> None:
    found = [call.id for call in calls(read(*[asked(call_id=id)] * 3, ended()))]

    assert len({*found} - {""}) == 3


def test_a_call_is_only_made_when_it_is_complete() -> None:
    begun = {"type": "response.output_item.added", "item": {"type": "function_call", "call_id": "a", "name": "read"}}
    pieces = {"type": "response.function_call_arguments.delta", "delta": '{"path": "x"}'}

    assert read(begun, pieces, delta_event("x"), ended()) == [Text("x"), StreamEnd(Usage())]


def test_what_only_comes_at_the_end_is_heard_too() -> None:
    output = [done(type="message", content=[{"type": "output_text", "text": "x"}])["item"], asked()["item"], 5]

    assert read(ended(output=output)) == [Text("x"), ToolCall("a", "read", {}), StreamEnd(Usage(), FinishReason.TOOLS)]
    assert read(delta_event("x"), ended(output=output)) == [
        Text("x"),
        ToolCall("a", "read", {}),
        StreamEnd(Usage(), FinishReason.TOOLS),
    ]
    assert read(asked(), ended(output=output)) == [
        Text("x"),
        ToolCall("a", "read", {}),
        StreamEnd(Usage(), FinishReason.TOOLS),
    ]


@pytest.mark.parametrize(
    "frame",
    [
        {},
        {"type": 5},
        {"type": "response.something.new", "delta": "x"},
        {"type": "keepalive"},
        delta_event(5),
        delta_event(None),
        delta_event(""),
        done(),
        done(type=5),
        done(type="message", content=5),
        done(type="message", content=[5, {}, {"text": 5}]),
        done(type="reasoning", summary=5),
        done(type="web_search_call"),
        {"type": "response.output_item.done", "item": 5},
        {"type": "response.queued"},
    ],
)
def test_what_is_not_known_does_no_harm(frame: Any) -> None:
    assert read(frame, delta_event("x"), ended(usage=5, output=5, incomplete_details=5)) == [
        Text("x"),
        StreamEnd(Usage()),
    ]


def test_nothing_is_read_after_the_end() -> None:
    assert read(delta_event("x"), ended(), "nonsense") == [Text("x"), StreamEnd(Usage())]
    assert read(delta_event("x"), ended(), "[DONE]") == [Text("x"), StreamEnd(Usage())]
