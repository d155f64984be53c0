"""Test the parsing of answers: complete, in pieces, and unusual ones."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from openkoi_google import Google
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
from openkoi_testing.servers import GoogleServer, Say, ServerFault
from openkoi_testing.servers.say import Words

HELLO = Request([Message.user("Hello")], model="gemini-fake")
READ = ToolCall("call_1", "read", {"path": "ä"})
LIST = ToolCall("call_2", "list", {"deep": True, "of": [1, {}]})
COUNTED = Usage(input=9, output=5, cache_read=3)


async def hear(provider: Google) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(HELLO) if not isinstance(chunk, Buffered)]


def heard(answer: Say | Words) -> list[Chunk]:
    """The received events from a server with this answer."""
    with GoogleServer(answer) as server:
        return asyncio.run(hear(Google(api_key="AIza-test", base_url=server.url)))


def provider(*frames: object, type: str = "text/event-stream") -> Google:
    """A parser of these events, or of one document, without a connection."""
    events = "".join(f"data: {frame if isinstance(frame, str) else json.dumps(frame)}\n\n" for frame in frames)
    content = events if "event" in type else json.dumps(frames[0])
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=content, headers={"content-type": type}))
    return Google(api_key="AIza-test", transport=wire)


def read(*frames: object, type: str = "text/event-stream") -> list[Chunk]:
    return asyncio.run(hear(provider(*frames, type=type)))


def candidate_with(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}]}


def called(name: Any = "read", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, **more}}


def finished(reason: str, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"finishReason": reason, **more}]}


def calls(chunks: Sequence[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def test_words_come_as_they_are_said_and_usage_last() -> None:
    usage = Usage(input=9, output=2, cache_read=7)

    assert heard(Say("Héllo 😀", delta=3, usage=usage)) == [Text("Hél"), Text("lo "), Text("😀"), StreamEnd(usage)]


def test_thoughts_are_not_words_and_are_paid_as_output() -> None:
    assert heard([Reasoning("Hm."), "Yes."]) == [Reasoning("Hm."), Text("Yes."), StreamEnd(COUNTED)]


@pytest.mark.parametrize("whole", [False, True])
def test_tool_calls_come_complete_and_after_the_words(whole: bool) -> None:
    chunks = heard(Say(["I look.", READ, LIST], delta=50, whole=whole))

    assert chunks == [Text("I look."), READ, LIST, StreamEnd(COUNTED, FinishReason.TOOLS)]


def test_a_call_that_comes_before_words_is_told_after_them() -> None:
    assert read(candidate_with(called(id="a", args={})), candidate_with({"text": "x"}), finished("STOP"))[:2] == [
        Text("x"),
        ToolCall("a", "read", {}),
    ]


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("STOP", FinishReason.END),
        ("MAX_TOKENS", FinishReason.LENGTH),
        ("SAFETY", FinishReason.REFUSED),
        ("RECITATION", FinishReason.REFUSED),
        ("BLOCKLIST", FinishReason.REFUSED),
        ("PROHIBITED_CONTENT", FinishReason.REFUSED),
        ("SPII", FinishReason.REFUSED),
        ("OTHER", FinishReason.END),
        ("SOMETHING_NEW", FinishReason.END),
    ],
)
def test_why_it_stopped_is_told(finish: str, stop: FinishReason) -> None:
    assert read(candidate_with({"text": "x"}), finished(finish))[-1] == StreamEnd(Usage(), stop)


@pytest.mark.parametrize("finish", ["MAX_TOKENS", "SAFETY"])
def test_no_tool_is_called_by_an_answer_that_did_not_come_to_its_end(finish: str) -> None:
    assert heard(Say([Reasoning("", "c2ln"), READ], finish=finish))[:-1] == []


def test_a_question_that_is_blocked_is_refused() -> None:
    counted = {"promptTokenCount": 4}

    assert read({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": counted}) == [
        StreamEnd(Usage(input=4), FinishReason.REFUSED)
    ]


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"])
def test_a_call_that_the_server_could_not_read_is_unavailable(reason: str) -> None:
    with pytest.raises(ProviderUnavailableError, match=rf"{reason} \(print\(read\('a'\); none of it was used"):
        read(candidate_with(called()), finished(reason, finishMessage="print(read('a'"))


def test_a_signature_that_was_missed_is_refused() -> None:
    with pytest.raises(RequestRejectedError, match="requires a thought signature"):
        read(finished("MISSING_THOUGHT_SIGNATURE"))


def test_a_signature_becomes_the_seal_of_a_thought_before_its_part() -> None:
    signed = [{**called(id="a", args={}), "thoughtSignature": "Y2FsbA=="}, called(id="b", args={})]
    text = {"text": "x", "thoughtSignature": "dGV4dA=="}

    assert read(candidate_with(text), candidate_with(*signed), finished("STOP"))[:-1] == [
        Reasoning("", "dGV4dA=="),
        Text("x"),
        Reasoning("", "Y2FsbA=="),
        ToolCall("a", "read", {}),
        ToolCall("b", "read", {}),
    ]


def test_a_signature_of_a_thought_or_of_nothing_stands_before_a_bar() -> None:
    thought = {"text": "Hm.", "thought": True, "thoughtSignature": "b3du"}
    empty = {"text": "", "thoughtSignature": "ZW5k"}

    assert read(candidate_with(thought), candidate_with({"text": "x"}), candidate_with(empty), finished("STOP"))[
        :-1
    ] == [
        Reasoning("Hm.", "b3du|"),
        Text("x"),
        Reasoning("", "ZW5k|"),
    ]


def test_signatures_of_a_thought_and_of_the_call_after_it_are_both_kept() -> None:
    thought = {"text": "Hm.", "thought": True, "thoughtSignature": "b3du"}
    call = {**called(id="a", args={}), "thoughtSignature": "Y2FsbA=="}

    assert read(candidate_with(thought, call), finished("STOP"))[:2] == [
        Reasoning("Hm.", "b3du|"),
        Reasoning("", "b3du|Y2FsbA=="),
    ]


@pytest.mark.parametrize(
    ("counted", "usage"),
    [
        (None, Usage()),
        ("many", Usage()),
        ({"promptTokenCount": "9", "candidatesTokenCount": -2}, Usage()),
        ({"promptTokenCount": 9.5, "candidatesTokenCount": True}, Usage()),
        ({"promptTokenCount": 4, "cachedContentTokenCount": 9}, Usage(cache_read=4)),
        ({"promptTokenCount": 4, "toolUsePromptTokenCount": 3}, Usage(input=7)),
        ({"promptTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 5}, Usage(input=4, output=7)),
    ],
)
def test_what_is_counted_is_understood_and_nonsense_is_not(counted: Any, usage: Usage) -> None:
    assert heard(Say("x", usage=counted))[-1] == StreamEnd(usage)


def test_usage_comes_with_every_event_and_the_last_that_counts_holds() -> None:
    counts = [{"promptTokenCount": 5, "candidatesTokenCount": number} for number in (1, 2)]
    frames = [
        {**candidate_with({"text": "x"}), "usageMetadata": counted}
        for counted in (*counts, {"trafficType": "ON_DEMAND"})
    ]

    assert read(*frames, finished("STOP"))[-1] == StreamEnd(Usage(input=5, output=2))


def test_a_server_that_says_stop_with_every_event_is_heard_to_the_end() -> None:
    frames = [candidate_with({"text": text}, finishReason="STOP") for text in "abc"]

    assert read(*frames)[:-1] == [Text("a"), Text("b"), Text("c")]


@pytest.mark.parametrize("id", [None, "", "same", 7])
def test_each_call_has_an_id_of_its_own(id: Any) -> None:
    ids = [call.id for call in calls(read(candidate_with(*[called(id=id, args={})] * 3), finished("STOP")))]

    assert len({*ids} - {""}) == 3


@pytest.mark.parametrize("arguments", [None, {}, "", "{}"])
def test_a_call_needs_no_arguments(arguments: Any) -> None:
    assert calls(read(candidate_with(called(id="a", args=arguments)), finished("STOP"))) == [ToolCall("a", "read", {})]
    assert calls(read(candidate_with(called(id="a")), finished("STOP"))) == [ToolCall("a", "read", {})]


@pytest.mark.parametrize("arguments", ['{"path":', [], 5, {"n": float("nan")}, {"n": float("inf")}])
def test_a_call_that_cannot_be_read_says_so_and_the_others_are_made(arguments: Any) -> None:
    bad, good = calls(read(candidate_with(called(id="a", args=arguments), called(id="b", args={})), finished("STOP")))

    assert (bad.tool, bad.arguments) == ("read", {})
    assert "not a valid JSON object" in bad.parse_error
    assert good == ToolCall("b", "read", {})


@pytest.mark.parametrize("depth", [99, 300, 900, 5_000])
def test_arguments_however_deep_do_no_harm(depth: int) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    frame = json.dumps(candidate_with(called(id="a", args="@")))[:].replace('"@"', deep)
    try:
        found = calls(read(frame, finished("STOP")))
    except ProviderUnavailableError:
        found = []

    assert all(call.parse_error for call in found) is (depth > 99)


@pytest.mark.parametrize("name", [None, "", 5, {}])
def test_a_call_without_a_name_says_so(name: Any) -> None:
    assert "no tool name" in calls(read(candidate_with(called(name, args={})), finished("STOP")))[0].parse_error


@pytest.mark.parametrize(
    "candidate",
    [
        None,
        [],
        "x",
        {},
        {"content": None},
        {"content": "x"},
        {"content": {"parts": "x"}},
        {"content": {"parts": [None, 5, "x", {}, {"text": 5}, {"text": None}, {"functionCall": "x"}]}},
        {"content": {"parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}, {"executableCode": {}}]}},
        {"finishReason": None},
        {"finishReason": 5},
        {"index": 1, "content": {"parts": [{"text": "another answer"}]}, "finishReason": "MAX_TOKENS"},
    ],
)
def test_wrong_types_and_what_is_not_known_do_no_harm(candidate: Any) -> None:
    frames = [{"candidates": [candidate]}, {"candidates": 5}, {"candidates": None}, {}, {"promptFeedback": 5}]

    assert read(*frames, candidate_with({"text": "x"}), finished("STOP")) == [Text("x"), StreamEnd(Usage())]


def test_an_answer_may_come_as_one_list() -> None:
    frames = [candidate_with({"text": "a"}), candidate_with({"text": "b"}, finishReason="STOP")]

    assert read(frames, type="application/json")[:-1] == [Text("a"), Text("b")]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "over", "code": 503, "status": "UNAVAILABLE"}, ProviderUnavailableError),
        ({"message": "over", "code": 429, "status": "RESOURCE_EXHAUSTED"}, ProviderUnavailableError),
        ({"message": "over"}, ProviderUnavailableError),
        ("over", ProviderUnavailableError),
        ({"message": "over", "code": 400, "status": "INVALID_ARGUMENT"}, RequestRejectedError),
    ],
)
@pytest.mark.parametrize("type", ["text/event-stream", "application/json"])
@pytest.mark.parametrize("listed", [False, True])
def test_an_error_with_status_200_is_an_error(error: Any, kind: type[Exception], type: str, listed: bool) -> None:
    document: object = [{"error": error}] if listed and "json" in type else {"error": error}

    with pytest.raises(kind, match="over"):
        read(document, type=type)


@pytest.mark.parametrize("document", [[], {}, {"candidates": []}, candidate_with({"text": "x"}), 5, [5], "x"])
def test_a_document_that_is_no_answer_is_unavailable(document: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        read(document, type="application/json")


def listed(*pages: object) -> list[Model]:
    """The models from a server with these pages."""
    answers = iter(pages)
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, json=next(answers)))
    provider = Google(api_key="AIza-test", transport=wire, context=10_000, output=5_000)
    return list(asyncio.run(call_once(provider, Google.models)))


def test_models_that_talk_are_listed_with_what_the_server_says_of_them() -> None:
    talks = {"supportedGenerationMethods": ["generateContent", "countTokens"]}
    first = [
        {"name": "models/gemini-a", "inputTokenLimit": 1000, "outputTokenLimit": 200, **talks},
        {"name": "models/embedding", "supportedGenerationMethods": ["embedContent"]},
        {"name": "models/odd", "inputTokenLimit": "many", "outputTokenLimit": 20_000, **talks},
        {"name": "models/silent"},
        {"displayName": "nameless", **talks},
        5,
    ]
    second = [{"name": "tunedModels/mine", **talks}, first[0]]

    assert listed({"models": first, "nextPageToken": "a/b=="}, {"models": second}) == [
        Model("gemini-a", context=1000, output=200),
        Model("odd", context=10_000, output=10_000),
        Model("silent", context=10_000, output=5_000),
        Model("tunedModels/mine", context=10_000, output=5_000),
    ]


def test_a_list_that_goes_round_in_circles_is_left() -> None:
    page = {"models": [{"name": "models/a"}], "nextPageToken": "again"}

    assert [model.name for model in listed(page, page)] == ["a"]


def test_pages_are_asked_for_one_after_the_other() -> None:
    names = [f"gemini-{number}" for number in range(1001)]
    with GoogleServer(models=names) as server:
        found = asyncio.run(call_once(Google(api_key="AIza-test", base_url=server.url), Google.models))

    assert [model.name for model in found] == names
    assert [request.path.partition("?")[2] for request in server.requests] == [
        "pageSize=1000",
        "pageSize=1000&pageToken=1000",
    ]


@pytest.mark.parametrize("listing", [[], {}, "x", 5])
def test_a_list_of_models_that_is_none_is_unavailable(listing: Any) -> None:
    with pytest.raises(ProviderUnavailableError, match="not return a list of models"):
        listed(listing)


def test_one_model_is_told_about_by_its_name() -> None:
    with GoogleServer(models=["gemini-a"]) as server:
        google = Google(api_key="AIza-test", base_url=server.url)
        found = asyncio.run(call_once(google, lambda google: google.describe("gemini-a")))
        with pytest.raises(RequestRejectedError, match="returned not found"):
            asyncio.run(call_once(google, lambda google: google.describe("gemini-b")))

    assert found == Model("gemini-a", context=1_048_576, output=65_536)


@pytest.mark.parametrize("document", [[], {}, {"name": 5}, "x"])
def test_a_model_or_a_number_that_is_none_is_unavailable(document: Any) -> None:
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, json=document))

    google = Google(api_key="AIza-test", transport=wire)
    with pytest.raises(ProviderUnavailableError, match="not return a model"):
        asyncio.run(call_once(google, lambda google: google.describe("a")))
    with pytest.raises(ProviderUnavailableError, match="not return a number of tokens"):
        asyncio.run(call_once(google, lambda google: google.count_tokens(HELLO)))


def test_tokens_are_counted_by_the_server() -> None:
    with GoogleServer() as server:
        google = Google(api_key="AIza-test", base_url=server.url)
        assert asyncio.run(call_once(google, lambda google: google.count_tokens(HELLO))) > 0
    assert server.requests[0].path == "/v1beta/models/gemini-fake:countTokens"


def test_a_cut_that_no_one_can_see_is_seen() -> None:
    with pytest.raises(ProviderUnavailableError, match="none of it was used"):
        heard(Say(READ, fault=ServerFault(cut=100, framed=False)))
