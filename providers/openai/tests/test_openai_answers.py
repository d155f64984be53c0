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
from openkoi_openai import OpenAI
from openkoi_testing.servers import OpenAIServer, Say, ServerFault
from openkoi_testing.servers.say import Words

HELLO = Request([Message.user("Hello")], model="gpt-fake")
READ = ToolCall("call_1", "read", {"path": "ä"})
LIST = ToolCall("call_2", "list", {"deep": True, "of": [1, {}]})


async def hear(provider: OpenAI) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(HELLO) if not isinstance(chunk, Buffered)]


def heard(answer: Say | Words) -> list[Chunk]:
    """The received events from a server with this answer."""
    with OpenAIServer(answer) as server:
        return asyncio.run(hear(OpenAI(api_key="sk-test", base_url=server.url)))


def read(*frames: object, type: str = "text/event-stream") -> list[Chunk]:
    """Parse these events, or one document, without a connection."""
    events = "".join(f"data: {frame if isinstance(frame, str) else json.dumps(frame)}\n\n" for frame in frames)
    content = events if "event" in type else json.dumps(frames[0])
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=content, headers={"content-type": type}))
    return asyncio.run(hear(OpenAI(api_key="sk-test", api="chat", transport=wire)))


def delta_chunk(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta}]}


def called(*pieces: dict[str, Any]) -> dict[str, Any]:
    return delta_chunk(tool_calls=list(pieces))


def finished(reason: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def calls(chunks: Sequence[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def test_words_come_as_they_are_said_and_usage_last() -> None:
    usage = Usage(input=9, output=2, cache_read=7, cache_write=4)

    assert heard(Say("Héllo 😀", delta=3, usage=usage)) == [Text("Hél"), Text("lo "), Text("😀"), StreamEnd(usage)]


def test_thoughts_are_not_words() -> None:
    assert heard(Say([Reasoning("Hm."), "Yes."], usage=None))[:2] == [Reasoning("Hm."), Text("Yes.")]


@pytest.mark.parametrize("whole", [False, True])
def test_tool_calls_come_complete_and_after_the_words(whole: bool) -> None:
    chunks = heard(Say(["I look.", READ, LIST], delta=50, whole=whole))

    assert chunks[:3] == [Text("I look."), READ, LIST]
    assert StreamEnd(Usage(input=9, output=5, cache_read=3), FinishReason.TOOLS) == chunks[3]


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", FinishReason.END),
        ("length", FinishReason.LENGTH),
        ("content_filter", FinishReason.REFUSED),
        ("eos_token_7", FinishReason.END),
    ],
)
def test_why_it_stopped_is_told(finish: str, stop: FinishReason) -> None:
    assert read(delta_chunk(content="x"), finished(finish), "[DONE]")[-1] == StreamEnd(Usage(), stop)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_no_tool_is_called_by_an_answer_that_did_not_come_to_its_end(finish: str) -> None:
    assert not calls(heard(Say(READ, finish=finish)))


def test_tools_may_be_called_with_a_plain_stop() -> None:
    assert heard(Say(READ, finish="stop"))[-1] == StreamEnd(Usage(input=9, output=5, cache_read=3), FinishReason.TOOLS)


def test_an_empty_reason_is_none() -> None:
    frames = [{"choices": [{"delta": {"content": text}, "finish_reason": ""}]} for text in "ab"]

    assert read(*frames, finished("stop"))[:-1] == [Text("a"), Text("b")]


def test_a_refusal_is_told_in_its_words() -> None:
    assert read(delta_chunk(refusal="I will not."), finished("stop")) == [
        Text("I will not."),
        StreamEnd(Usage(), FinishReason.REFUSED),
    ]


@pytest.mark.parametrize("reason", ["error", "abort", "network_error"])
def test_a_server_that_gives_up_is_unavailable(reason: str) -> None:
    with pytest.raises(ProviderUnavailableError, match=reason):
        read(delta_chunk(content="x"), finished(reason), "[DONE]")


@pytest.mark.parametrize(
    ("counted", "usage"),
    [
        (None, Usage()),
        ("many", Usage()),
        ({"prompt_tokens": "9", "completion_tokens": -2}, Usage()),
        ({"prompt_tokens": 9.5, "completion_tokens": True, "prompt_tokens_details": []}, Usage()),
        ({"prompt_tokens": 4, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(cache_read=4)),
        ({"prompt_tokens": 4, "prompt_cache_hit_tokens": 3}, Usage(input=1, cache_read=3)),
        ({"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 9}, Usage(input=4, output=5)),
        ({"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 1}, Usage(input=4, output=2)),
        ({"prompt_tokens": 4, "prompt_tokens_details": {"cached_tokens": None}}, Usage(input=4)),
    ],
)
def test_nonsense_is_not_counted(counted: Any, usage: Usage) -> None:
    assert heard(Say("x", usage=counted))[-1] == StreamEnd(usage)


def test_usage_may_come_with_every_event_and_the_last_holds() -> None:
    counted = [{**delta_chunk(content="x"), "usage": {"prompt_tokens": 5, "completion_tokens": n}} for n in (1, 2)]

    assert read(*counted, finished("stop"))[-1] == StreamEnd(Usage(input=5, output=2))


def test_pieces_of_two_calls_may_be_mixed() -> None:
    chunks = read(
        called({"index": 0, "id": "a", "function": {"name": "read", "arguments": ""}}),
        called({"index": 1, "id": "b", "function": {"name": "list", "arguments": "{}"}}),
        called({"index": 0, "function": {"arguments": '{"path"'}}),
        called({"index": 0, "function": {"arguments": ':"x"}'}}),
        finished("tool_calls"),
    )

    assert calls(chunks) == [ToolCall("a", "read", {"path": "x"}), ToolCall("b", "list", {})]


def test_another_id_is_another_call_whatever_its_number_says() -> None:
    pieces = [{"index": 0, "id": id, "function": {"name": "read", "arguments": f'{{"path":"{id}"}}'}} for id in "ab"]

    assert [call.arguments["path"] for call in calls(read(*map(called, pieces), finished("tool_calls")))] == ["a", "b"]


def test_calls_need_no_numbers() -> None:
    pieces = [{"id": id, "function": {"name": "read", "arguments": f'{{"path":"{id}"}}'}} for id in "ab"]

    assert ["a", "b"] == [call.id for call in calls(read(called(*pieces), finished("tool_calls")))]
    assert ["a", "b"] == [call.id for call in calls(read(*map(called, pieces), finished("tool_calls")))]


@pytest.mark.parametrize("id", ["", None, "same", 7])
def test_each_call_has_an_id_of_its_own(id: Any) -> None:
    pieces = [{"index": n, "id": id, "function": {"name": "read", "arguments": "{}"}} for n in range(3)]
    ids = [call.id for call in calls(read(called(*pieces), finished("tool_calls")))]

    assert len({*ids} - {""}) == 3


@pytest.mark.parametrize("names", [["re", "ad"], ["read", "read"], ["read", None], [None, "read"]])
def test_a_name_may_come_in_pieces_or_again(names: list[Any]) -> None:
    pieces = [
        {"index": 0, "id": "a", "function": {"name": name, "arguments": part}}
        for name, part in zip(names, "{}", strict=True)
    ]

    assert calls(read(*map(called, pieces), finished("tool_calls"))) == [ToolCall("a", "read", {})]


def test_arguments_may_come_as_an_object() -> None:
    piece = {"index": 0, "id": "a", "function": {"name": "read", "arguments": {"path": "x"}}}

    assert calls(read(called(piece), finished("tool_calls"))) == [ToolCall("a", "read", {"path": "x"})]


@pytest.mark.parametrize("arguments", ['{"path":', '{"a":1}{"b":2}', "[]", "null", '{"a":1,"a":2}', 5])
def test_a_call_that_cannot_be_read_says_so_and_the_others_are_made(arguments: Any) -> None:
    piece = {"index": 0, "id": "a", "function": {"name": "read", "arguments": arguments}}
    good = {"index": 1, "id": "b", "function": {"name": "list", "arguments": "{}"}}
    chunks = read(called(piece, good), finished("tool_calls"))
    bad, *rest = calls(chunks)

    assert ("a", "read", {}) == (bad.id, bad.tool, bad.arguments)
    assert "not a valid JSON object" in bad.parse_error
    assert rest == [ToolCall("b", "list", {})]
    assert StreamEnd(Usage(), FinishReason.TOOLS) == chunks[-1]


@pytest.mark.parametrize("function", [None, "read", {}, {"name": "", "arguments": "{}"}, {"name": 5}])
def test_a_call_without_a_name_says_so(function: Any) -> None:
    call, done = read(called({"index": 0, "id": "a", "function": function}), finished("tool_calls"))

    assert isinstance(call, ToolCall)
    assert "no tool name" in call.parse_error
    assert StreamEnd(Usage(), FinishReason.TOOLS) == done


@pytest.mark.parametrize(
    "delta",
    [
        None,
        [],
        "x",
        {},
        {"content": 5},
        {"content": None},
        {"content": {}},
        {"tool_calls": {}},
        {"tool_calls": [5]},
        {"refusal": 5},
    ],
)
def test_wrong_types_do_no_harm(delta: Any) -> None:
    frames = [{"choices": [{"delta": delta}]}, {"choices": 5}, {"choices": [None]}, {"choices": None}, {}]

    assert read(*frames, delta_chunk(content="x"), finished("stop")) == [Text("x"), StreamEnd(Usage())]


def test_words_may_come_as_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 5]

    assert read(delta_chunk(content=parts), finished("stop"))[0] == Text("ab")


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_thoughts_have_two_names_and_are_told_once(key: str) -> None:
    end = delta_chunk(content="x"), finished("stop")

    assert read(delta_chunk(**{key: "Hm."}), *end)[:-1] == [Reasoning("Hm."), Text("x")]
    assert read(delta_chunk(reasoning="Hm.", reasoning_content="Hm."), *end)[:-1] == [Reasoning("Hm."), Text("x")]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "over", "code": 429}, ProviderUnavailableError),
        ({"message": "over", "type": "server_error"}, ProviderUnavailableError),
        ({"message": "over"}, ProviderUnavailableError),
        ("over", ProviderUnavailableError),
        ({"message": "over", "code": "insufficient_quota"}, RequestRejectedError),
        ({"message": "over", "code": "context_length_exceeded"}, RequestRejectedError),
        ({"message": "over", "code": 401}, RequestRejectedError),
    ],
)
@pytest.mark.parametrize("type", ["text/event-stream", "application/json"])
def test_an_error_with_status_200_is_an_error(error: Any, kind: type[Exception], type: str) -> None:
    with pytest.raises(kind, match="returned an error: over"):
        read({"error": error}, type=type)


@pytest.mark.parametrize("document", [[], {}, {"choices": []}, {"choices": [{"message": {"content": "x"}}]}, 5])
def test_a_document_that_is_no_answer_is_unavailable(document: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        read(document, type="application/json")


def test_a_wrong_key_is_refused_and_not_repeated() -> None:
    with OpenAIServer(key="sk-right") as server, pytest.raises(RequestRejectedError, match="Check the key") as caught:
        asyncio.run(hear(OpenAI(api_key="sk-wrong-key-123", base_url=server.url)))
    assert "sk-wrong" not in str(caught.value)


def test_a_cut_that_no_one_can_see_is_seen() -> None:
    with pytest.raises(ProviderUnavailableError, match="none of it was used"):
        heard(Say(READ, fault=ServerFault(cut=700, framed=False)))
