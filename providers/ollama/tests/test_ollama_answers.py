"""Test the parsing of answers: complete, in pieces, and unusual ones."""

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
    ProviderUnavailableError,
    Reasoning,
    Request,
    RequestRejectedError,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
)
from openkoi_ollama import Ollama
from openkoi_testing.servers import OllamaServer, Say
from openkoi_testing.servers.say import Words

HELLO = Request([Message.user("Hello")], model="llama-fake")
READ = ToolCall("call_1", "read", {"path": "ä"})
LIST = ToolCall("call_2", "list", {"deep": True, "of": [1, {}]})
ENDED = {"done": True, "done_reason": "stop"}


async def hear(provider: Ollama) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(HELLO) if not isinstance(chunk, Buffered)]


def heard(answer: Say | Words) -> list[Chunk]:
    """The received events from a server with this answer."""
    with OllamaServer(answer) as server:
        return asyncio.run(hear(Ollama(base_url=server.url)))


def read(*frames: object, type: str = "application/x-ndjson") -> list[Chunk]:
    """What is read of these lines, or of one document, without a connection."""
    lines = "".join(f"{frame if isinstance(frame, str) else json.dumps(frame)}\n" for frame in frames)

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(
            200, content=lines if "chat" in str(request.url) else "{}", headers={"content-type": type}
        )

    return asyncio.run(hear(Ollama(transport=httpx2.MockTransport(answer))))


def answer_chunk(**message: Any) -> dict[str, Any]:
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": False}


def called(*functions: Any) -> dict[str, Any]:
    return answer_chunk(tool_calls=[{"function": function} for function in functions])


def calls(chunks: Sequence[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def test_words_come_as_they_are_said_and_usage_last() -> None:
    usage = Usage(input=9, output=2)

    assert heard(Say("Héllo 😀", delta=3, usage=usage)) == [Text("Hél"), Text("lo "), Text("😀"), StreamEnd(usage)]


def test_cached_tokens_are_counted_among_those_of_the_prompt() -> None:
    assert heard(Say("x", usage=Usage(input=9, output=2, cache_read=7)))[-1] == StreamEnd(Usage(input=16, output=2))


def test_thoughts_are_not_words() -> None:
    assert heard(Say([Reasoning("Hm."), "Yes."], usage=None))[:2] == [Reasoning("Hm."), Text("Yes.")]
    assert read(answer_chunk(thinking="Hm.", content="Yes."), ENDED)[:2] == [Reasoning("Hm."), Text("Yes.")]


@pytest.mark.parametrize("whole", [False, True])
def test_tool_calls_come_complete_and_after_the_words(whole: bool) -> None:
    chunks = heard(Say(["I look.", READ, LIST], delta=50, whole=whole, usage=Usage(input=9, output=5)))

    assert chunks == [Text("I look."), READ, LIST, StreamEnd(Usage(input=9, output=5), FinishReason.TOOLS)]


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", FinishReason.END),
        ("length", FinishReason.LENGTH),
        ("", FinishReason.END),
        (None, FinishReason.END),
        ("new", FinishReason.END),
    ],
)
def test_why_it_stopped_is_told(finish: Any, stop: FinishReason) -> None:
    assert read(answer_chunk(content="x"), {"done": True, "done_reason": finish})[-1] == StreamEnd(Usage(), stop)


def test_no_tool_is_called_by_an_answer_that_did_not_come_to_its_end() -> None:
    assert heard(Say(READ, finish="length", usage=None)) == [StreamEnd(Usage(), FinishReason.LENGTH)]


@pytest.mark.parametrize("reason", ["load", "unload"])
def test_a_server_that_only_loads_the_model_is_unavailable(reason: str) -> None:
    with pytest.raises(ProviderUnavailableError, match=reason):
        read({"message": {"content": ""}, "done": True, "done_reason": reason})


@pytest.mark.parametrize(
    ("counted", "usage"),
    [
        (None, Usage()),
        ("many", Usage()),
        (-2, Usage()),
        (9.5, Usage()),
        (True, Usage()),
        (Usage(output=3), Usage(output=3)),
    ],
    ids=["nothing", "words", "negative", "a fraction", "a truth", "no prompt, for it was cached"],
)
def test_nonsense_is_not_counted(counted: Any, usage: Usage) -> None:
    assert heard(Say("x", usage=counted))[-1] == StreamEnd(usage)


def test_several_calls_may_come_in_one_line_or_over_several() -> None:
    one, two = {"name": "read", "arguments": {"path": "a"}}, {"name": "list", "arguments": {}}
    wanted = [("read", {"path": "a"}), ("list", {})]

    assert wanted == [(call.tool, call.arguments) for call in calls(read(called(one, two), ENDED))]
    assert wanted == [(call.tool, call.arguments) for call in calls(read(called(one), called(two), ENDED))]
    assert wanted == [(call.tool, call.arguments) for call in calls(read({**called(one, two), **ENDED}))]


@pytest.mark.parametrize("id", ["", None, "same", 7])
def test_each_call_has_an_id_of_its_own(id: Any) -> None:
    asked = [{"id": id, "function": {"name": "read", "arguments": {}}} for _ in range(3)]
    ids = [call.id for call in calls(read(answer_chunk(tool_calls=asked), ENDED))]

    assert len({*ids} - {""}) == 3


@pytest.mark.parametrize(
    ("arguments", "read_as"), [('{"path": "x"}', {"path": "x"}), ("", {}), (None, {}), ({"path": None}, {"path": None})]
)
def test_arguments_are_an_object_or_its_text_or_none(arguments: Any, read_as: Any) -> None:
    (call,) = calls(read(called({"name": "read", "arguments": arguments}), ENDED))

    assert (call.arguments, call.parse_error) == (read_as, "")


@pytest.mark.parametrize("arguments", ['{"path":', '{"a":1}{"b":2}', [1], 5, "[]"])
def test_a_call_that_cannot_be_read_says_so_and_the_others_go_on(arguments: Any) -> None:
    bad, good = calls(read(called({"name": "read", "arguments": arguments}, {"name": "list"}), ENDED))

    assert "not a valid JSON object" in bad.parse_error
    assert (good.tool, good.parse_error) == ("list", "")


@pytest.mark.parametrize("function", [None, "read", {}, {"name": "", "arguments": {}}, {"name": 5}])
def test_a_call_without_a_name_says_so(function: Any) -> None:
    assert "no tool name" in calls(read(called(function), ENDED))[0].parse_error


@pytest.mark.parametrize(
    "message",
    [None, [], "x", {}, {"content": 5}, {"content": None}, {"thinking": []}, {"tool_calls": {}}, {"tool_calls": [5]}],
)
def test_wrong_types_do_no_harm(message: Any) -> None:
    frames = [{"message": message}, {"message": message, "done": "yes"}, {}, {"status": "loading"}]

    assert read(*frames, answer_chunk(content="x"), ENDED) == [Text("x"), StreamEnd(Usage())]


def test_what_follows_the_end_is_not_read() -> None:
    assert read(answer_chunk(content="x"), ENDED, answer_chunk(content="late"), "nonsense") == [
        Text("x"),
        StreamEnd(Usage()),
    ]


@pytest.mark.parametrize("type", ["application/x-ndjson", "application/json"])
def test_an_error_with_status_200_is_an_error(type: str) -> None:
    with pytest.raises(ProviderUnavailableError, match="returned an error: the runner died"):
        read({"error": "the runner died"}, type=type)


def test_an_error_in_mid_stream_ends_the_answer() -> None:
    with pytest.raises(ProviderUnavailableError, match="the runner died"):
        read(answer_chunk(content="x"), called({"name": "read", "arguments": {}}), {"error": "the runner died"})


def test_an_error_in_mid_stream_may_say_that_the_context_is_full() -> None:
    with pytest.raises(RequestRejectedError, match="exceeds the context length") as caught:
        read({"error": "the input length exceeds the context length", "status": 400})
    assert caught.value.context_overflow


@pytest.mark.parametrize("document", [[], {}, {"message": {}}, {"message": {"content": "x"}}, 5])
def test_a_document_that_is_no_answer_is_unavailable(document: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        read(document, type="application/json")


def test_a_conversation_of_calls_goes_on_over_one_connection() -> None:
    async def ask() -> list[Chunk]:
        async with Ollama(base_url=server.url) as provider:
            for _ in range(4):
                chunks = [chunk async for chunk in provider.chat(HELLO)]
            return chunks

    with OllamaServer(READ, READ, READ, "Done.") as server:
        assert asyncio.run(ask())[0] == Text("Done")
        paths = [request.path for request in server.requests]

    assert server.connections == 1
    assert paths == ["/api/show", *["/api/chat"] * 4]
