"""Test the parsing of answers: complete, in pieces, block by block."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from openkoi_anthropic import Anthropic
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
from openkoi_testing.servers import AnthropicServer, Say
from openkoi_testing.servers.say import Words

HELLO = Request([Message.user("Hello")], model="claude-fake", max_output=4000)
READ = ToolCall("toolu_1", "read", {"path": "ä"})
LIST = ToolCall("toolu_2", "list", {"deep": True, "of": [1, {}]})
STOP = {"type": "message_stop"}
TEXT = {"type": "text", "text": ""}
THINKING = {"type": "thinking", "thinking": "", "signature": ""}


async def hear(provider: Anthropic) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(HELLO) if not isinstance(chunk, Buffered)]


def heard(answer: Say | Words) -> list[Chunk]:
    """The received events from a server with this answer."""
    with AnthropicServer(answer) as server:
        return asyncio.run(hear(Anthropic(api_key="k", base_url=server.url)))


def read(*frames: object, type: str = "text/event-stream") -> list[Chunk]:
    """Parse these events, or one document, without a connection."""
    events = "".join(f"event: x\ndata: {json.dumps(frame)}\n\n" for frame in frames)
    content = events if "event" in type else json.dumps(frames[0])
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=content, headers={"content-type": type}))
    return asyncio.run(hear(Anthropic(base_url="http://localhost", transport=wire)))


def begun(block: Any, index: Any = 0) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def use(id: Any = "a", name: Any = "read", input: Any = None, index: Any = 0) -> dict[str, Any]:
    return begun({"type": "tool_use", "id": id, "name": name, "input": {} if input is None else input}, index)


def delta(kind: str, index: Any = 0, **reply: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **reply}}


def words(text: Any, index: Any = 0) -> dict[str, Any]:
    return delta("text_delta", index, text=text)


def piece(json: Any, index: Any = 0) -> dict[str, Any]:
    return delta("input_json_delta", index, partial_json=json)


def ended(reason: Any = "end_turn", **counted: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": counted}, STOP


def calls(chunks: Sequence[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


@pytest.mark.parametrize("whole", [False, True])
def test_words_come_as_they_are_said_and_usage_last(whole: bool) -> None:
    usage = Usage(input=9, output=2, cache_read=7, cache_write=5)
    chunks = heard(Say("Héllo 😀", delta=3, usage=usage, whole=whole))

    assert chunks[:-1] == [Text("Héllo 😀")] if whole else [Text("Hél"), Text("lo "), Text("😀")]
    assert chunks[-1] == StreamEnd(usage)


def test_thoughts_are_sealed_each_by_itself() -> None:
    thoughts = [Reasoning("Hm.", signature="c2ln"), Reasoning("", signature="ZGF0YQ"), Reasoning("So.", signature="Mg")]

    assert heard([*thoughts, "Yes."])[:-1] == [
        Reasoning("Hm."),
        Reasoning("", signature="c2ln"),
        Reasoning("", signature="redacted:ZGF0YQ"),
        Reasoning("So."),
        Reasoning("", signature="Mg"),
        Text("Yes."),
    ]


@pytest.mark.parametrize("whole", [False, True])
def test_tool_calls_come_complete_and_after_the_words(whole: bool) -> None:
    chunks = heard(Say(["I look.", READ, LIST], delta=50, whole=whole))

    assert chunks == [
        Text("I look."),
        READ,
        LIST,
        StreamEnd(Usage(input=9, output=5, cache_read=3), FinishReason.TOOLS),
    ]


def test_what_follows_a_tool_call_waits_with_it() -> None:
    chunks = heard(Say(["First.", READ, Reasoning("Hm.", signature="c2ln"), "Then.", LIST], delta=50))

    assert chunks[:-1] == [
        Text("First."),
        READ,
        Reasoning("Hm."),
        Reasoning("", signature="c2ln"),
        Text("Then."),
        LIST,
    ]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", FinishReason.END),
        ("stop_sequence", FinishReason.END),
        ("pause_turn", FinishReason.END),
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("refusal", FinishReason.REFUSED),
        ("something_new", FinishReason.END),
    ],
)
def test_why_it_stopped_is_told(reason: str, stop: FinishReason) -> None:
    assert read(begun(TEXT), words("x"), *ended(reason))[-1] == StreamEnd(Usage(), stop)


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
@pytest.mark.parametrize("whole", [False, True])
def test_no_tool_is_called_by_an_answer_that_did_not_come_to_its_end(reason: str, whole: bool) -> None:
    chunks = heard(Say([READ, "And more."], finish=reason, whole=whole))

    assert not calls(chunks)
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, Text)) == "And more."


@pytest.mark.parametrize(
    "frames", [(STOP,), (ended()[0],), (words("x"),), ()], ids=["no why", "no stop", "cut", "empty"]
)
def test_an_answer_that_does_not_end_is_cut_off(frames: tuple[Any, ...]) -> None:
    with pytest.raises(ProviderUnavailableError, match="none of it was used"):
        read({"type": "message_start", "message": {}}, use(), piece("{}"), *frames)


@pytest.mark.parametrize(
    ("counted", "usage"),
    [
        (None, Usage()),
        ("many", Usage()),
        ({"input_tokens": "9", "output_tokens": -2}, Usage()),
        ({"input_tokens": 9.5, "output_tokens": True, "cache_read_input_tokens": []}, Usage()),
        ({"input_tokens": 4, "cache_creation_input_tokens": None}, Usage(input=4)),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_nonsense_is_not_counted(counted: Any, usage: Usage, whole: bool) -> None:
    assert heard(Say("x", usage=counted, whole=whole))[-1] == StreamEnd(usage)


def test_usage_is_cumulative_and_the_last_count_of_each_thing_holds() -> None:
    begins = {"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 1}
    start = {"type": "message_start", "message": {"usage": begins}}
    later = ended(output_tokens=8, input_tokens=None, cache_read_input_tokens=4)

    assert read(start, begun(TEXT), words("x"), *later)[-1] == StreamEnd(
        Usage(input=5, output=8, cache_read=4, cache_write=2)
    )


def test_pieces_of_two_blocks_may_be_mixed() -> None:
    frames = [begun(TEXT), use("a", index=1), words("x"), use("b", "list", index=2), piece('{"pa', 1), piece("{}", 2)]

    assert read(*frames, piece('th":"x"}', 1), words("y"), *ended())[:-1] == [
        ToolCall("a", "read", {"path": "x"}),
        Text("x"),
        ToolCall("b", "list", {}),
        Text("y"),
    ]


def test_arguments_may_come_at_once() -> None:
    assert calls(read(use(input={"path": "x"}), *ended())) == [ToolCall("a", "read", {"path": "x"})]


@pytest.mark.parametrize("arguments", ['{"path":', '{"a":1}{"b":2}', "[]", "null", '{"a":1,"a":2}'])
def test_a_call_that_cannot_be_read_says_so(arguments: str) -> None:
    bad, good = calls(read(use("a"), piece(arguments), use("b", index=1), *ended("tool_use")))

    assert "not a valid JSON object" in bad.parse_error
    assert good == ToolCall("b", "read", {})


@pytest.mark.parametrize("name", [None, "", 5])
def test_a_call_without_a_name_says_so(name: Any) -> None:
    (bad,) = calls(read(use(name=name), *ended()))

    assert "no tool name" in bad.parse_error


@pytest.mark.parametrize("id", ["", None, "same", 7])
def test_each_call_has_an_id_of_its_own(id: Any) -> None:
    ids = [call.id for call in calls(read(*(use(id, index=n) for n in range(3)), *ended()))]

    assert len({*ids} - {""}) == 3


@pytest.mark.parametrize(
    "frame",
    [
        {},
        {"type": None},
        {"type": "ping"},
        {"type": "vault_opened", "index": 0},
        {"type": "message_start", "message": 5},
        {"type": "message_delta", "delta": [], "usage": []},
        begun(None),
        begun({"type": "server_tool_use", "id": "x"}),
        begun({"type": "text", "text": 5}),
        begun({"type": {"of": "text"}}),
        begun({"type": "thinking"}),
        {"type": "content_block_delta", "index": [], "delta": 5},
        delta("text_delta", {}, text=5),
        delta("text_delta", text=""),
        delta("thinking_delta", thinking=None),
        delta("citations_delta", citation={}),
        {"type": "content_block_stop"},
    ],
    ids=str,
)
def test_what_is_not_known_or_of_a_wrong_type_does_no_harm(frame: Any) -> None:
    assert read(frame, begun(TEXT), words("x"), frame, *ended()) == [Text("x"), StreamEnd(Usage())]


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        ("overloaded_error", ProviderUnavailableError),
        ("api_error", ProviderUnavailableError),
        ("timeout_error", ProviderUnavailableError),
        ("rate_limit_error", ProviderUnavailableError),
        ("invalid_request_error", RequestRejectedError),
        ("authentication_error", RequestRejectedError),
        ("permission_error", RequestRejectedError),
        ("billing_error", RequestRejectedError),
        ("request_too_large", RequestRejectedError),
    ],
)
@pytest.mark.parametrize("type", ["text/event-stream", "application/json"])
def test_an_error_with_status_200_is_an_error(kind: str, raised: type[Exception], type: str) -> None:
    with pytest.raises(raised, match="returned an error: over"):
        read({"type": "error", "error": {"type": kind, "message": "over"}}, type=type)


def test_an_error_may_come_in_the_midst_of_an_answer() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    with pytest.raises(ProviderUnavailableError, match="Overloaded"):
        read(begun(TEXT), words("x"), use(index=1), error, *ended())


@pytest.mark.parametrize("document", [[], {}, {"content": 5}, {"content": [], "stop_reason": None}, 5])
def test_a_document_that_is_no_answer_is_unavailable(document: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        read(document, type="application/json")


def test_an_answer_that_was_recorded_is_played_back_without_a_key(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with AnthropicServer([Reasoning("Hm."), "I look.", READ]) as server:
        report = asyncio.run(hear(Anthropic(api_key="sk-ant-secret", base_url=server.url, cassette=f"record:{tape}")))

    assert report == asyncio.run(hear(Anthropic(cassette=f"replay:{tape}")))
    assert "sk-ant-secret" not in tape.read_text(encoding="utf-8")
