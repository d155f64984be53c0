"""Every fault of the catalogue, told in this protocol, and an answer cut at every byte: never half a tool call."""

import asyncio
import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from openkoi_google import Google
from openkoi_hookspecs import (
    Chunk,
    Done,
    Message,
    ProviderError,
    Refused,
    Request,
    Text,
    Thought,
    ToolCall,
    Unavailable,
)
from openkoi_testing.servers import Fault, GoogleServer, Say
from openkoi_testing.servers.faults import After
from openkoi_testing.servers.google import events

FAULTS = Path(__file__).resolve().parents[3].parent / "shared" / "corpora" / "faults.json"
HELLO = Request([Message.user("Hello")], model="gemini-fake")
STATUS = {
    "headers-then-silence": Fault(cut=0, after=After.HANGS),
    "429 with a body that never ends": Fault(status=429, body=b"", after=After.DRIPS),
}
FINISH = {"length": "MAX_TOKENS", "stop": "STOP", "tool_calls": "STOP", "eos_token_7": "EOS_TOKEN_7"}
FRAME = re.compile(rb"(?<=data:)( ?)(\{.*\})(?=\r?\n)")
SPOKEN = Say(["Héllo 😀", Thought("", "c2ln"), ToolCall("a", "read", {"path": "ä"})])
MEGABYTE = b" " * 1_000_000
absent = pytest.mark.skipif(not FAULTS.exists(), reason=f"the catalogue of faults is not at {FAULTS}")


def cases(layer: str) -> list[dict[str, Any]]:
    if not FAULTS.exists():
        return []
    return [case for case in json.loads(FAULTS.read_text(encoding="utf-8"))["cases"] if case["layer"] == layer]


def name(case: dict[str, Any]) -> str:
    return f"{case['id']} {case['why']}"


class Translator:
    """Tells events of Chat Completions as Gemini's: a tool call when its arguments are whole."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, str]] = {}

    def translated(self, frame: re.Match[bytes]) -> bytes:
        """Tell one event; what is none of theirs stays as it is."""
        said = json.loads(frame[2])
        if "choices" not in said:
            return frame[0]
        return frame[1] + json.dumps(self.candidates(said), ensure_ascii=False).encode()

    def candidates(self, said: dict[str, Any]) -> dict[str, Any]:
        """Tell the one answer in an event."""
        candidates = []
        for choice in said["choices"]:
            parts = list(self._parts(choice.get("delta") or choice.get("message") or {}))
            finish = choice.get("finish_reason")
            ended = {"finishReason": FINISH[finish]} if finish else {}
            candidates.append({"content": {"role": "model", "parts": parts}, "index": 0, **ended})
        return {"candidates": candidates}

    def _parts(self, delta: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if delta.get("reasoning_content"):
            yield {"text": delta["reasoning_content"], "thought": True}
        if delta.get("content"):
            yield {"text": delta["content"]}
        for piece in delta.get("tool_calls", []):
            yield from self._call(piece)

    def _call(self, piece: dict[str, Any]) -> Iterator[dict[str, Any]]:
        call = self._calls.setdefault(piece["index"], {"name": "", "id": "", "args": ""})
        function = piece.get("function", {})
        arguments = function.get("arguments", "")
        call["id"] += piece.get("id", "")
        call["name"] += function.get("name", "")
        call["args"] += arguments if isinstance(arguments, str) else json.dumps(arguments)
        if call["args"].endswith("}"):
            yield {"functionCall": {**call, "args": json.loads(call["args"])}}


def streamed(chunks: list[str]) -> list[bytes]:
    """The same stream in the words of this protocol, cut into pieces of about the same size."""
    pieces = [base64.b64decode(chunk) for chunk in chunks]
    whole = FRAME.sub(Translator().translated, b"".join(pieces))
    step = max(1, len(pieces[0])) if pieces else 1
    return [whole[start : start + step] for start in range(0, len(whole), step)]


def body_of(body: str) -> bytes:
    """The same document in the words of this protocol."""
    said = json.loads(body) if body.startswith("{") else {}
    return json.dumps(Translator().candidates(said)).encode() if "choices" in said else body.encode()


async def hear(provider: Google) -> tuple[list[Chunk], ProviderError | None]:
    """What is heard until it ends, well or badly."""
    chunks: list[Chunk] = []
    async with provider:
        try:
            async for chunk in provider.chat(HELLO):
                chunks.append(chunk)
        except ProviderError as error:
            return chunks, error
    return chunks, None


def heard(fault: Fault, key: str = "AIza-test") -> tuple[list[Chunk], ProviderError | None]:
    with GoogleServer(Say("unheard", fault=fault)) as server:
        return asyncio.run(hear(Google(api_key=key, base_url=server.url, idle_seconds=0.3)))


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


@absent
@pytest.mark.parametrize("case", cases("sse"), ids=name)
def test_streams_of_the_catalogue(case: dict[str, Any]) -> None:
    endless = case["id"] == "S24"
    pieces = streamed(case["given"]["chunks_b64"])
    chunks, error = heard(Fault(body=pieces, after=After.DRIPS if endless else After.ENDS))
    expect = case["expect"]

    assert (error is None) is isinstance(chunks[-1] if chunks else None, Done)
    match expect["outcome"]:
        case "ok":
            assert error is None
        case "incomplete":
            assert isinstance(error, Unavailable)
        case "tools":
            assert sorted(map(str, expect["args"])) == sorted(str(call.arguments) for call in calls(chunks))
        case "truncated_tool":
            assert not calls(chunks)
    if expect.get("executed") is False:
        assert not calls(chunks)
    if "text" in expect and not expect.get("dialect"):
        assert text(chunks) == expect["text"]


@absent
@pytest.mark.parametrize("case", [case for case in cases("http") if case["given"]["status"] != "dns-failure"], ids=name)
def test_answers_of_the_catalogue(case: dict[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    plain = {"content-type": "application/json", **given["headers"]}
    fault = STATUS.get(given["status"]) or Fault(status=given["status"], headers=plain, body=body_of(given["body"]))
    chunks, error = heard(fault, key="sk-abcd1234efgh5678ijkl9012")

    match expect["outcome"]:
        case "ok":
            assert isinstance(chunks[-1], Done)
        case "retry":
            assert isinstance(error, Unavailable)
            low, _ = expect.get("after_s", (0, 0))
            assert (error.retry_after or 0) >= low
        case "fail" | "compact_and_retry":
            assert isinstance(error, Refused)
            assert error.overflow is (expect["outcome"] == "compact_and_retry")
    assert "sk-abcd" not in str(error)


@absent
@pytest.mark.parametrize("case", [case for case in cases("proto") if "tool_calls" in case["given"]], ids=name)
def test_tool_calls_of_the_catalogue_get_ids_of_their_own(case: dict[str, Any]) -> None:
    asked = [
        {"functionCall": {"id": c["id"], "name": c["name"], "args": json.loads(c["arguments"])}}
        for c in case["given"]["tool_calls"]
    ]
    answer = {"candidates": [{"content": {"parts": asked}, "finishReason": "STOP"}]}
    chunks, error = heard(Fault(headers={"content-type": "application/json"}, body=json.dumps(answer).encode()))

    assert error is None
    assert len({call.id for call in calls(chunks)}) == len(asked)


def test_a_name_that_is_not_known_is_unavailable() -> None:
    _, error = asyncio.run(hear(Google(api_key="AIza-test", base_url="http://nowhere.invalid")))

    assert isinstance(error, Unavailable)
    assert "nowhere.invalid could not be reached" in str(error)


def test_an_answer_cut_at_any_byte_is_either_whole_or_nothing_of_it_is_acted_upon() -> None:
    whole = b"".join(events(SPOKEN))
    lengths = iter(range(len(whole) + 1))
    stream = {"content-type": "text/event-stream"}
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=whole[: next(lengths)], headers=stream))

    async def ask() -> list[tuple[list[Chunk], ProviderError | None]]:
        provider = Google(api_key="AIza-test", transport=wire)
        return [await hear(provider) for _ in range(len(whole) + 1)]

    outcomes = asyncio.run(ask())
    ended_well = [error is None for _, error in outcomes]
    whole_but_for_the_line_s_end = [whole[:end].rstrip() == whole.rstrip() for end in range(len(whole) + 1)]

    assert ended_well == [bool(calls(chunks)) for chunks, _ in outcomes]
    assert ended_well == [any(isinstance(chunk, Done) for chunk in chunks) for chunks, _ in outcomes]
    assert all(isinstance(error, Unavailable | None) for _, error in outcomes)
    assert all(itself for itself, well in zip(whole_but_for_the_line_s_end, ended_well, strict=True) if well)
    assert (ended_well[0], ended_well[-1]) == (False, True)


@pytest.mark.parametrize("end", [0, 1, 150, 400, 900])
def test_a_connection_that_breaks_is_unavailable(end: int) -> None:
    with GoogleServer(Say(SPOKEN.words, fault=Fault(cut=end))) as server:
        chunks, error = asyncio.run(hear(Google(api_key="AIza-test", base_url=server.url)))

    assert isinstance(error, Unavailable)
    assert not calls(chunks)


def test_a_connection_that_breaks_after_the_last_word_is_unavailable_too() -> None:
    """A server that says why it stops with every event cannot be told from one that had more to say."""
    with GoogleServer(Say(SPOKEN.words, fault=Fault(cut=len(b"".join(events(SPOKEN)))))) as server:
        chunks, error = asyncio.run(hear(Google(api_key="AIza-test", base_url=server.url)))

    assert isinstance(error, Unavailable)
    assert not calls(chunks)


@pytest.mark.parametrize("slice", [1, 2, 5])
def test_a_stream_in_the_smallest_pieces_is_heard_as_one(slice: int) -> None:
    with GoogleServer(Say(SPOKEN.words, fault=Fault(slice=slice, keep_alives=1))) as server:
        chunks, error = asyncio.run(hear(Google(api_key="AIza-test", base_url=server.url)))

    assert error is None
    assert text(chunks) == "Héllo 😀"
    assert calls(chunks) == list(SPOKEN.calls)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(cut=0, after=After.HANGS),
        Fault(cut=0, after=After.DRIPS),
        Fault(body=b"data: {}\n\n" * 3, after=After.DRIPS),
        Fault(delay=9),
    ],
    ids=["silence", "keep-alives", "events with nothing in them", "no headers"],
)
def test_nobody_waits_for_ever(fault: Fault) -> None:
    chunks, error = heard(fault)

    assert isinstance(error, Unavailable)
    assert "said nothing new" in str(error)
    assert not chunks


@pytest.mark.parametrize(
    "garbage", [b"\x00\xff" * 500, b"data: \xff\xfe{\n\n", b"data: {}}\n\n", b"data: [1]\n\n", b"HTTP/1.1 200 OK\n\n"]
)
def test_garbage_is_unavailable(garbage: bytes) -> None:
    chunks, error = heard(Fault(body=garbage))

    assert isinstance(error, Unavailable)
    assert not chunks


@pytest.mark.parametrize("type", ["text/event-stream", "application/json", "text/html"])
@pytest.mark.parametrize("status", [200, 500])
def test_a_body_without_end_is_not_read_to_its_end(type: str, status: int) -> None:
    _, error = heard(Fault(status=status, headers={"content-type": type}, body=[MEGABYTE] * 100))

    assert isinstance(error, Unavailable)


@pytest.mark.parametrize(("status", "kind"), [(403, Refused), (404, Refused), (502, Unavailable), (529, Unavailable)])
def test_web_pages_are_not_quoted(status: int, kind: type[ProviderError]) -> None:
    page = Fault(status=status, headers={"content-type": "text/html"}, body=b"<html>cloudflare</html>")
    _, error = heard(page)

    assert isinstance(error, kind)
    assert "html" not in str(error)


def test_errors_are_sentences_about_a_host() -> None:
    body = b'{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}'
    _, error = heard(Fault(status=503, body=body))

    assert str(error).startswith("127.0.0.1:")
    assert str(error).endswith("answered 503: The model is overloaded.")
