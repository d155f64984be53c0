"""Every fault of the catalogue, and an answer cut at every byte: never a crash, never half a tool call."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from openkoi_hookspecs import (
    Chunk,
    Done,
    KoiError,
    Message,
    ProviderError,
    Refused,
    Request,
    Text,
    ToolCall,
    Unavailable,
)
from openkoi_openai import OpenAI
from openkoi_openai.dialect import Api
from openkoi_testing.servers import Fault, OpenAIServer, Say
from openkoi_testing.servers.faults import After
from openkoi_testing.servers.openai_chat import events

FAULTS = Path(__file__).resolve().parents[3].parent / "shared" / "corpora" / "faults.json"
HELLO = Request([Message.user("Hello")], model="gpt-fake")
STATUS = {
    "headers-then-silence": Fault(cut=0, after=After.HANGS),
    "429 with a body that never ends": Fault(status=429, body=b"", after=After.DRIPS),
}
absent = pytest.mark.skipif(not FAULTS.exists(), reason=f"the catalogue of faults is not at {FAULTS}")


def cases(layer: str) -> list[dict[str, Any]]:
    if not FAULTS.exists():
        return []
    return [case for case in json.loads(FAULTS.read_text(encoding="utf-8"))["cases"] if case["layer"] == layer]


def name(case: dict[str, Any]) -> str:
    return f"{case['id']} {case['why']}"


async def hear(provider: OpenAI) -> tuple[list[Chunk], ProviderError | None]:
    """What is heard until it ends, well or badly."""
    chunks: list[Chunk] = []
    async with provider:
        try:
            async for chunk in provider.chat(HELLO):
                chunks.append(chunk)
        except ProviderError as error:
            return chunks, error
    return chunks, None


def heard(fault: Fault, key: str = "sk-test", api: Api = "auto") -> tuple[list[Chunk], ProviderError | None]:
    with OpenAIServer(Say("unheard", fault=fault)) as server:
        return asyncio.run(hear(OpenAI(api_key=key, base_url=server.url, api=api, idle_seconds=0.25)))


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


@absent
@pytest.mark.parametrize("case", cases("sse"), ids=name)
def test_streams_of_the_catalogue(case: dict[str, Any]) -> None:
    pieces = [base64.b64decode(piece) for piece in case["given"]["chunks_b64"]]
    endless = case["id"] == "S24"
    chunks, error = heard(Fault(body=pieces, after=After.DRIPS if endless else After.ENDS))
    expect = case["expect"]

    assert (error is None) is isinstance(chunks[-1] if chunks else None, Done)
    match expect["outcome"]:
        case "ok":
            assert error is None
        case "incomplete":
            assert isinstance(error, Unavailable)
        case "tools":
            assert [call.arguments for call in calls(chunks)] == expect["args"]
        case "truncated_tool":
            assert not calls(chunks)
    if expect.get("executed") is False:
        assert not calls(chunks)
    if "text" in expect and not expect.get("dialect"):
        assert text(chunks) == expect["text"]


def answers(api: Api) -> list[Any]:
    """The catalogue's answers: those that are written in a dialect, or spoil what has none, are told in one only."""
    found = [case for case in cases("http") if case["given"]["status"] != "dns-failure"]
    told = [case for case in found if api == "chat" or case["given"]["status"] not in {200, *STATUS}]
    return [pytest.param(api, case, id=f"{api} {name(case)}") for case in told]


@absent
@pytest.mark.parametrize(("api", "case"), [*answers("chat"), *answers("responses")])
def test_answers_of_the_catalogue(api: Api, case: dict[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    plain = {"content-type": "application/json", **given["headers"]}
    fault = STATUS.get(given["status"]) or Fault(status=given["status"], headers=plain, body=given["body"].encode())
    chunks, error = heard(fault, key="sk-abcd1234efgh5678ijkl9012", api=api)

    match expect["outcome"]:
        case "ok":
            assert isinstance(chunks[-1], Done)
        case "retry":
            assert isinstance(error, Unavailable)
            low, _ = expect.get("after_s", (0, 0))
            assert (error.retry_after or 0) >= low
        case "fail" | "compact_and_retry" as outcome:
            assert isinstance(error, Refused)
            assert (outcome == "compact_and_retry") is error.overflow
    assert "sk-abcd" not in str(error)


@absent
@pytest.mark.parametrize("case", [case for case in cases("proto") if "tool_calls" in case["given"]], ids=name)
def test_tool_calls_of_the_catalogue_get_ids_of_their_own(case: dict[str, Any]) -> None:
    asked = [
        {"id": c["id"], "function": {"name": c["name"], "arguments": c["arguments"]}}
        for c in case["given"]["tool_calls"]
    ]
    answer = {"choices": [{"message": {"tool_calls": asked}, "finish_reason": "tool_calls"}]}
    chunks, error = heard(Fault(headers={"content-type": "application/json"}, body=json.dumps(answer).encode()))

    assert error is None
    assert len({call.id for call in calls(chunks)}) == len(asked)


def test_a_name_that_is_not_known_is_unavailable() -> None:
    _, error = asyncio.run(hear(OpenAI(api_key="sk-test", base_url="http://nowhere.invalid/v1")))

    assert isinstance(error, Unavailable)
    assert "nowhere.invalid could not be reached" in str(error)


def test_an_answer_cut_at_any_byte_is_either_whole_or_nothing_of_it_is_acted_upon() -> None:
    said = Say(["Héllo 😀", ToolCall("a", "read", {"path": "ä"})])
    whole = b"".join(events(said, {"model": "gpt-fake", "stream_options": {"include_usage": True}}))
    lengths = iter(range(len(whole) + 1))
    stream = {"content-type": "text/event-stream"}
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=whole[: next(lengths)], headers=stream))

    async def ask() -> list[tuple[list[Chunk], ProviderError | None]]:
        provider = OpenAI(api_key="sk-test", api="chat", transport=wire)
        return [await hear(provider) for _ in range(len(whole) + 1)]

    outcomes = asyncio.run(ask())
    ended_well = [error is None for _, error in outcomes]

    assert ended_well == [bool(calls(chunks)) for chunks, _ in outcomes]
    assert all(isinstance(error, Unavailable | None) for _, error in outcomes)
    assert ended_well == sorted(ended_well)
    assert (ended_well[0], ended_well[-1]) == (False, True)


@pytest.mark.parametrize("end", [0, 1, 150, 400, 900])
def test_a_connection_that_breaks_is_unavailable(end: int) -> None:
    with OpenAIServer(Say(["Héllo 😀", ToolCall("a", "read", {"path": "ä"})], fault=Fault(cut=end))) as server:
        chunks, error = asyncio.run(hear(OpenAI(api_key="sk-test", base_url=server.url)))

    assert isinstance(error, Unavailable)
    assert not calls(chunks)


@pytest.mark.parametrize("slice", [1, 2, 5])
def test_a_stream_in_the_smallest_pieces_is_heard_as_one(slice: int) -> None:
    fault = Fault(slice=slice, keep_alives=1)
    with OpenAIServer(Say(["Héllo 😀", ToolCall("a", "read", {"path": "ä"})], fault=fault)) as server:
        chunks, error = asyncio.run(hear(OpenAI(api_key="sk-test", base_url=server.url)))

    assert error is None
    assert text(chunks) == "Héllo 😀"
    assert calls(chunks) == [ToolCall("a", "read", {"path": "ä"})]


@pytest.mark.parametrize(
    "garbage", [b"\x00\xff" * 500, b"data: \xff\xfe{\n\n", b"data: {}}\n\n", b"HTTP/1.1 200 OK\n\n"]
)
def test_garbage_is_unavailable(garbage: bytes) -> None:
    chunks, error = heard(Fault(body=garbage))

    assert isinstance(error, Unavailable)
    assert not chunks


def test_errors_are_sentences_about_a_host() -> None:
    _, error = heard(
        Fault(status=529, body=b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')
    )

    assert isinstance(error, KoiError)
    assert str(error).startswith("127.0.0.1:")
    assert str(error).endswith("answered 529: Overloaded.")
