"""Test the parsing of answers: events, finish reasons and usage."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from openkoi_bedrock import Bedrock
from openkoi_bedrock.output_schema import ANSWER_TOOL
from openkoi_hookspecs import (
    Buffered,
    Chunk,
    FinishReason,
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
from openkoi_testing.contracts.provider_harness import call_once
from openkoi_testing.servers import BedrockServer, Say
from openkoi_testing.servers.aws import STREAM, error_frame, event_frame, exception_frame
from openkoi_testing.servers.say import Words

HELLO = Request([Message.user("Hello")], model="anthropic.claude-fake-v1:0")
READ = ToolCall("call_1", "read", {"path": "ä"})
LIST = ToolCall("call_2", "list", {})
ENDED = event_frame("messageStop", {"stopReason": "end_turn"})


async def hear(provider: Bedrock) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(HELLO) if not isinstance(chunk, Buffered)]


def heard(answer: Say | Words) -> list[Chunk]:
    """The received events from a server with this answer."""
    with BedrockServer(answer) as server:
        return asyncio.run(hear(Bedrock(api_key="a-token", base_url=server.url)))


def read(*frames: bytes, type: str = STREAM) -> list[Chunk]:
    """What is read of these frames, without a connection."""
    wire = httpx2.MockTransport(
        lambda _: httpx2.Response(200, content=b"".join(frames), headers={"content-type": type})
    )
    return asyncio.run(hear(Bedrock(api_key="a-token", region="eu-west-1", transport=wire)))


def start(at: Any, **use: Any) -> bytes:
    return event_frame("contentBlockStart", {"contentBlockIndex": at, "start": {"toolUse": use}})


def delta(at: Any, reply: Any) -> bytes:
    return event_frame("contentBlockDelta", {"contentBlockIndex": at, "delta": reply})


def piece(at: Any, text: Any) -> bytes:
    return delta(at, {"toolUse": {"input": text}})


def stop(at: Any) -> bytes:
    return event_frame("contentBlockStop", {"contentBlockIndex": at})


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def test_words_come_as_they_are_said_and_usage_last() -> None:
    usage = Usage(input=9, output=2, cache_read=7, cache_write=3)

    assert heard(Say("Héllo 😀", delta=3, usage=usage)) == [Text("Hél"), Text("lo "), Text("😀"), StreamEnd(usage)]


def test_thoughts_are_sealed_when_they_end() -> None:
    assert heard([Reasoning("Hm.", "c2ln"), Reasoning("", "AAEC"), "Yes."])[:4] == [
        Reasoning("Hm."),
        Reasoning("", "bedrock:c2ln"),
        Reasoning("", "bedrock-redacted:AAEC"),
        Text("Yes."),
    ]


def test_tool_calls_come_complete_and_after_the_words() -> None:
    assert heard(["I look.", READ, LIST])[2:] == [
        READ,
        LIST,
        StreamEnd(Usage(input=9, output=5, cache_read=3), FinishReason.TOOLS),
    ]


@pytest.mark.parametrize(
    ("reason", "end"),
    [
        ("end_turn", FinishReason.END),
        ("stop_sequence", FinishReason.END),
        ("something_new", FinishReason.END),
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("guardrail_intervened", FinishReason.REFUSED),
        ("content_filtered", FinishReason.REFUSED),
    ],
)
def test_why_it_stopped_is_told(reason: str, end: FinishReason) -> None:
    chunk = heard(Say("x", finish=reason))[-1]

    assert isinstance(chunk, StreamEnd)
    assert end is chunk.stop


@pytest.mark.parametrize("reason", ["max_tokens", "content_filtered", "model_context_window_exceeded"])
def test_no_tool_is_called_by_an_answer_that_did_not_come_to_its_end(reason: str) -> None:
    assert not calls(heard(Say(READ, finish=reason)))


@pytest.mark.parametrize("reason", ["malformed_tool_use", "malformed_model_output"])
def test_a_model_that_stumbles_is_unavailable(reason: str) -> None:
    with pytest.raises(ProviderUnavailableError, match=reason):
        heard(Say(READ, finish=reason))


def test_tools_may_be_called_with_a_plain_end() -> None:
    assert heard(Say(READ, finish="end_turn"))[-1] == StreamEnd(
        Usage(input=9, output=5, cache_read=3), FinishReason.TOOLS
    )


def test_an_answer_of_a_shape_that_came_as_a_call_is_words() -> None:
    async def ask() -> list[Chunk]:
        schema: Any = {"type": "object", "properties": {"score": {"type": "number"}}}
        async with Bedrock(api_key="a-token", base_url=server.url) as provider:
            request = Request(HELLO.messages, model="amazon.nova-pro-v1:0", schema=schema)
            return [chunk async for chunk in provider.chat(request) if not isinstance(chunk, Buffered)]

    with BedrockServer(ToolCall("a", ANSWER_TOOL, {"score": 1}), models=["amazon.nova-pro-v1:0"]) as server:
        *words, done = asyncio.run(ask())

    assert "".join(chunk.text for chunk in words if isinstance(chunk, Text)) == '{"score": 1}'
    assert StreamEnd(Usage(input=9, output=5, cache_read=3), FinishReason.END) == done


def test_what_it_cost_is_waited_for_and_may_be_missing() -> None:
    counted = event_frame("metadata", {"usage": {"inputTokens": 3, "outputTokens": 1}})

    assert read(delta(0, {"text": "x"}), ENDED, counted)[1:] == [StreamEnd(Usage(input=3, output=1))]
    assert read(delta(0, {"text": "x"}), counted, ENDED)[1:] == [StreamEnd(Usage(input=3, output=1))]
    assert read(delta(0, {"text": "x"}), ENDED)[1:] == [StreamEnd(Usage())]


@pytest.mark.parametrize("counted", [None, "many", [], {"inputTokens": "9", "outputTokens": -2}, {"inputTokens": 9.5}])
def test_nonsense_is_not_counted(counted: Any) -> None:
    assert read(delta(0, {"text": "x"}), ENDED, event_frame("metadata", {"usage": counted}))[1:] == [StreamEnd(Usage())]


def test_pieces_of_two_calls_may_be_mixed() -> None:
    chunks = read(
        start(0, toolUseId="a", name="read"),
        start(1, toolUseId="b", name="list"),
        piece(0, '{"path"'),
        piece(1, "{}"),
        piece(0, ':"x"}'),
        stop(1),
        stop(0),
        ENDED,
    )

    assert calls(chunks) == [ToolCall("a", "read", {"path": "x"}), ToolCall("b", "list", {})]


def test_a_call_that_did_not_end_is_not_made() -> None:
    with pytest.raises(ProviderUnavailableError, match="in the middle of a tool call"):
        read(start(0, toolUseId="a", name="read"), piece(0, "{}"), ENDED)


@pytest.mark.parametrize("arguments", ['{"path":', '{"a":1}{"b":2}', "[]", "null", '{"a":1,"a":2}'])
def test_a_call_that_cannot_be_read_carries_its_fault(arguments: str) -> None:
    bad, good = calls(
        read(
            *(start(0, toolUseId="a", name="read"), piece(0, arguments), stop(0)),
            *(start(1, toolUseId="b", name="list"), stop(1), ENDED),
        )
    )

    assert (bad.arguments, good) == ({}, ToolCall("b", "list", {}))
    assert "not a valid JSON object" in bad.parse_error


@pytest.mark.parametrize("use", [{}, {"toolUseId": 5, "name": None}, {"toolUseId": "a", "name": ""}])
def test_a_call_without_a_name_carries_its_fault(use: Any) -> None:
    (call,) = calls(read(start(0, **use), piece(0, "{}"), stop(0), ENDED))

    assert call.parse_error
    assert call.id


def test_each_call_has_an_id_of_its_own() -> None:
    frames = [frame for n in range(3) for frame in (start(n, toolUseId="same", name="read"), stop(n))]

    assert len({call.id for call in calls(read(*frames, ENDED))}) == 3


@pytest.mark.parametrize(
    "frame",
    [
        delta(0, None),
        delta(0, []),
        delta(0, {"text": 5}),
        delta(0, {"text": ""}),
        delta(0, {"reasoningContent": 5}),
        delta(0, {"reasoningContent": {"redactedContent": "no base64!"}}),
        delta("0", {"citation": {"title": "x"}}),
        start(0),
        event_frame("contentBlockStart", {"contentBlockIndex": 0, "start": None}),
        event_frame("contentBlockStop", {}),
        event_frame("metadata", {}),
        event_frame("somethingNew", {"text": "x"}),
    ],
)
def test_wrong_types_and_unknown_events_do_no_harm(frame: bytes) -> None:
    chunks = read(event_frame("messageStart", {"role": "assistant"}), frame, delta(1, {"text": "x"}), stop(0), ENDED)

    assert Text("x") in chunks
    assert isinstance(chunks[-1], StreamEnd)


def test_what_follows_the_end_is_not_heard() -> None:
    assert read(delta(0, {"text": "a"}), ENDED, delta(0, {"text": "b"})) == [Text("a"), StreamEnd(Usage())]


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("throttlingException", ProviderUnavailableError),
        ("modelStreamErrorException", ProviderUnavailableError),
        ("internalServerException", ProviderUnavailableError),
        ("serviceUnavailableException", ProviderUnavailableError),
        ("modelTimeoutException", ProviderUnavailableError),
        ("somethingNewException", ProviderUnavailableError),
        ("validationException", RequestRejectedError),
        ("accessDeniedException", RequestRejectedError),
    ],
)
def test_an_exception_in_mid_stream_is_an_error(kind: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"ended its response early \({kind}\): Not now\."):
        read(delta(0, {"text": "x"}), exception_frame(kind, "Not\nnow."), ENDED)


def test_an_error_frame_in_mid_stream_is_an_error() -> None:
    with pytest.raises(ProviderUnavailableError, match=r"\(InternalError\): An internal error occurred"):
        read(error_frame("InternalError", "An internal error occurred"))


def test_too_long_a_prompt_may_be_found_out_in_mid_stream() -> None:
    with pytest.raises(RequestRejectedError) as caught:
        read(exception_frame("validationException", "Input is too long for requested model."))
    assert caught.value.context_overflow


@pytest.mark.parametrize(
    "document", [{"message": "not now"}, {"Output": {"__type": "UnknownOperationException"}}, [], 5, "x", None]
)
def test_a_document_in_place_of_a_stream_is_unavailable(document: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        read(json.dumps(document).encode(), type="application/json")


def listed(*listings: Any) -> list[Model]:
    """The models of these lists, of models and of profiles."""
    answers = {"/foundation-models": listings[0], "/inference-profiles": listings[1]}
    wire = httpx2.MockTransport(lambda request: httpx2.Response(200, json=answers[request.url.path]))
    provider = Bedrock(api_key="t", region="eu-west-1", transport=wire, context=5_000)
    return list(asyncio.run(call_once(provider, Bedrock.models)))


def test_models_on_demand_and_profiles_of_models_that_stream_are_listed() -> None:
    words = {"outputModalities": ["TEXT"], "responseStreamingSupported": True}
    models = [
        {"modelId": "a.plain", **words, "inferenceTypesSupported": ["ON_DEMAND"]},
        {"modelId": "a.routed", **words, "inferenceTypesSupported": ["INFERENCE_PROFILE"]},
        {"modelId": "a.whole", "outputModalities": ["TEXT"], "responseStreamingSupported": False},
        {"modelId": "a.paints", "outputModalities": ["IMAGE"]},
        {"modelId": 5},
        5,
    ]
    profiles = [
        {"inferenceProfileId": f"eu.{name}", "models": [{"modelArn": f"arn:aws:bedrock:eu::foundation-model/{name}"}]}
        for name in ("a.plain", "a.routed", "a.paints")
    ]
    found = listed({"modelSummaries": models}, {"inferenceProfileSummaries": [*profiles, {}, 5]})

    assert ["a.plain", "eu.a.plain", "eu.a.routed"] == [model.name for model in found]
    assert Model("a.plain", context=5_000, output=5_000) == found[0]


@pytest.mark.parametrize("listing", [[], {}, {"modelSummaries": {}}, "x", None])
def test_lists_that_say_nothing_break_nothing(listing: Any) -> None:
    assert listed(listing, listing) == []


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_server_without_lists_lists_nothing(status: int) -> None:
    wire = httpx2.MockTransport(lambda _: httpx2.Response(status, json={"message": "no"}))

    provider = Bedrock(api_key="t", region="eu-west-1", transport=wire)

    assert list(asyncio.run(call_once(provider, Bedrock.models))) == []
