"""Every fault of the catalogue, and an answer cut at every byte: never a crash, never half a tool call."""

import asyncio
import base64
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from openkoi_hookspecs import Chunk, Done, Message, ProviderError, Refused, Request, Text, ToolCall, Unavailable
from openkoi_ollama import Ollama
from openkoi_testing.servers import Fault, OllamaServer, Say
from openkoi_testing.servers.faults import After
from openkoi_testing.servers.ollama import events

FAULTS = Path(__file__).resolve().parents[3].parent / "shared" / "corpora" / "faults.json"
HELLO = Request([Message.user("Hello")], model="llama-fake")
LINES = {"content-type": "application/x-ndjson"}
SAID = Say(["Héllo 😀", ToolCall("a", "read", {"path": "ä"})])
STATUS = {
    "headers-then-silence": Fault(cut=0, after=After.HANGS),
    "429 with a body that never ends": Fault(status=429, body=b"", after=After.DRIPS),
}
PIECEMEAL = ("S15", "S17")
ANTHROPIC = "S30"
absent = pytest.mark.skipif(not FAULTS.exists(), reason=f"the catalogue of faults is not at {FAULTS}")


def cases(layer: str, *others: str) -> list[dict[str, Any]]:
    if not FAULTS.exists():
        return []
    found: list[dict[str, Any]] = json.loads(FAULTS.read_text(encoding="utf-8"))["cases"]
    return [case for case in found if case["layer"] == layer and case["id"] not in others]


def name(case: dict[str, Any]) -> str:
    return f"{case['id']} {case['why']}"


async def hear(provider: Ollama) -> tuple[list[Chunk], ProviderError | None]:
    """What is heard until it ends, well or badly."""
    chunks: list[Chunk] = []
    async with provider:
        try:
            async for chunk in provider.chat(HELLO):
                chunks.append(chunk)
        except ProviderError as error:
            return chunks, error
    return chunks, None


def heard(fault: Fault, said: Say | None = None, key: str = "") -> tuple[list[Chunk], ProviderError | None]:
    with OllamaServer(Say((said or Say("unheard")).words, fault=fault)) as server:
        return asyncio.run(hear(Ollama(base_url=server.url, api_key=key, idle_seconds=0.3)))


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def line(frame: Mapping[str, Any]) -> bytes:
    return json.dumps(frame, ensure_ascii=False).encode() + b"\n"


def translated(event: str) -> bytes:
    """Say what an event of the catalogue says in Ollama's words; nothing for what has no counterpart."""
    if not event.startswith("data:"):
        return b"\n"
    data = event.removeprefix("data:").strip()
    try:
        choice = json.loads(data)["choices"][0]
    except ValueError:
        return b"" if data == "[DONE]" else data.encode()
    delta, finish = choice["delta"], choice.get("finish_reason")
    message = {"content": delta.get("content", ""), "thinking": delta.get("reasoning_content", "")}
    asked = [{"function": call["function"]} for call in delta.get("tool_calls", ())]
    ended = {"done": True, "done_reason": finish} if finish else {"done": False}
    return line({"message": {**message, "tool_calls": asked}, **ended})


@absent
@pytest.mark.parametrize("case", cases("sse", *PIECEMEAL, ANTHROPIC), ids=name)
def test_streams_of_the_catalogue(case: dict[str, Any]) -> None:
    whole = b"".join(base64.b64decode(piece) for piece in case["given"]["chunks_b64"]).decode()
    body = b"".join(map(translated, whole.replace("\r\n", "\n").split("\n\n"))) if whole else b""
    step = 1 if case["id"] in ("S02", "S03") else len(body) or 1
    pieces = [body[start : start + step] for start in range(0, len(body), step)]
    chunks, error = heard(Fault(body=pieces, after=After.DRIPS if case["id"] == "S24" else After.ENDS))
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
    if "text" in expect:
        assert text(chunks) == expect["text"]


@absent
@pytest.mark.parametrize("case", [case for case in cases("http") if case["given"]["status"] != "dns-failure"], ids=name)
def test_answers_of_the_catalogue(case: dict[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    plain = {"content-type": "application/json", **given["headers"]}
    body = given["body"].replace('{"choices":[]}', "{}").encode()
    if expect["outcome"] == "ok":
        body = line({"message": {"content": "hi"}, "done": True, "done_reason": "eos_token_7"})
    fault = STATUS.get(given["status"]) or Fault(status=given["status"], headers=plain, body=body)
    chunks, error = heard(fault, key="sk-abcd1234efgh5678ijkl9012")

    match expect["outcome"]:
        case "ok":
            assert isinstance(chunks[-1], Done)
        case "retry":
            assert isinstance(error, Unavailable)
            low, _ = expect.get("after_s", (0, 0))
            assert (error.retry_after or 0) >= low
        case "compact_and_retry":
            assert isinstance(error, Unavailable) or (isinstance(error, Refused) and error.overflow)
        case "fail":
            assert isinstance(error, Refused)
    assert "sk-abcd" not in str(error)


@absent
@pytest.mark.parametrize("case", [case for case in cases("proto") if "tool_calls" in case["given"]], ids=name)
def test_tool_calls_of_the_catalogue_get_ids_of_their_own(case: dict[str, Any]) -> None:
    given = case["given"]["tool_calls"]
    asked = [{"id": c["id"], "function": {"name": c["name"], "arguments": json.loads(c["arguments"])}} for c in given]
    body = line({"message": {"tool_calls": asked}, "done": True, "done_reason": "stop"})
    chunks, error = heard(Fault(body=body))

    assert error is None
    assert len({call.id for call in calls(chunks)}) == len(given)


def test_an_answer_cut_at_any_byte_is_either_whole_or_nothing_of_it_is_acted_upon() -> None:
    whole = b"".join(events(SAID, {"model": "llama-fake"}))
    lengths = iter(range(len(whole) + 1))

    def answer(request: httpx2.Request) -> httpx2.Response:
        content = whole[: next(lengths)] if request.url.path == "/api/chat" else b"{}"
        return httpx2.Response(200, content=content, headers=LINES if request.url.path == "/api/chat" else {})

    async def ask() -> list[tuple[list[Chunk], ProviderError | None]]:
        provider = Ollama(transport=httpx2.MockTransport(answer))
        return [await hear(provider) for _ in range(len(whole) + 1)]

    outcomes = asyncio.run(ask())
    ended_well = [error is None for _, error in outcomes]

    assert ended_well == [bool(calls(chunks)) for chunks, _ in outcomes]
    assert ended_well == [any(isinstance(chunk, Done) for chunk in chunks) for chunks, _ in outcomes]
    assert all(isinstance(error, Unavailable | None) for _, error in outcomes)
    assert ended_well == [False] * len(whole) + [True]


@pytest.mark.parametrize("end", [0, 1, 150, 400])
@pytest.mark.parametrize("framed", [True, False])
def test_a_connection_that_breaks_is_unavailable(end: int, framed: bool) -> None:
    chunks, error = heard(Fault(cut=end, framed=framed), SAID)

    assert isinstance(error, Unavailable)
    assert not calls(chunks)


@pytest.mark.parametrize("slice", [1, 2, 5])
def test_a_stream_in_the_smallest_pieces_is_heard_as_one(slice: int) -> None:
    chunks, error = heard(Fault(slice=slice, keep_alives=1), SAID)

    assert error is None
    assert text(chunks) == "Héllo 😀"
    assert calls(chunks) == [ToolCall("a", "read", {"path": "ä"})]


@pytest.mark.parametrize("fault", [Fault(cut=0, after=After.DRIPS), Fault(cut=0, after=After.HANGS)])
def test_keep_alives_do_not_put_off_the_end_of_patience(fault: Fault) -> None:
    begun = time.monotonic()
    chunks, error = heard(fault)

    assert (chunks, isinstance(error, Unavailable)) == ([], True)
    assert "said nothing new" in str(error)
    assert time.monotonic() - begun < 3


def test_an_answer_may_take_longer_to_begin_than_to_go_on() -> None:
    chunks, error = heard(Fault(delay=0.45))

    assert (error, text(chunks)) == (None, "unheard")


@pytest.mark.parametrize(
    "garbage", [b"\x00\xff" * 500 + b"\n", b'\xff\xfe{"done": true}\n', b"[]\n", b"data: {}\n", b"5\n"]
)
def test_garbage_is_unavailable(garbage: bytes) -> None:
    chunks, error = heard(Fault(body=garbage))

    assert isinstance(error, Unavailable)
    assert not chunks


def test_a_line_that_never_ends_is_broken_off() -> None:
    with OllamaServer(Say(fault=Fault(body=[b"x" * 1_000_000] * 100))) as server:
        chunks, error = asyncio.run(hear(Ollama(base_url=server.url)))

    assert isinstance(error, Unavailable)
    assert "event of more than" in str(error)
    assert not chunks


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_page_in_place_of_an_answer_is_unavailable(status: int) -> None:
    fault = Fault(status=status, headers={"content-type": "text/html", "Retry-After": "3"}, body=b"<html>Busy</html>")
    _, error = heard(fault)

    assert isinstance(error, Unavailable)
    assert error.retry_after == 3
    assert "html" not in str(error)


def test_a_full_queue_is_unavailable() -> None:
    _, error = heard(
        Fault(status=503, body=b'{"error":"server busy, please try again.  maximum pending requests exceeded"}')
    )

    assert isinstance(error, Unavailable)
