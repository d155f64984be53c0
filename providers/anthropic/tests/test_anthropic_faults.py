"""Every fault of the catalogue in this vendor's words, and the errors that only this vendor has."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from openkoi_anthropic import Anthropic
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
from openkoi_testing.servers import AnthropicServer, Fault, Say
from openkoi_testing.servers.anthropic import error
from openkoi_testing.servers.anthropic_speech import event, events, written
from openkoi_testing.servers.faults import After

FAULTS = Path(__file__).resolve().parents[3].parent / "shared" / "corpora" / "faults.json"
HELLO = Request([Message.user("Hello")], model="claude-fake")
IDLE = 0.25
KEY = "sk-abcd1234efgh5678ijkl9012"
STATUS = {
    "headers-then-silence": Fault(cut=0, after=After.HANGS),
    "429 with a body that never ends": Fault(status=429, body=b"", after=After.DRIPS),
}
ANSWER = Say([Thought("Hm.", seal="c2ln"), "Héllo 😀", ToolCall("a", "read", {"path": "ä"}), "More."], delta=9)
WHOLE = b"".join(events(ANSWER, {"model": "claude-fake"}))
absent = pytest.mark.skipif(not FAULTS.exists(), reason=f"the catalogue of faults is not at {FAULTS}")


def cases(layer: str) -> list[dict[str, Any]]:
    if not FAULTS.exists():
        return []
    return [case for case in json.loads(FAULTS.read_text(encoding="utf-8"))["cases"] if case["layer"] == layer]


def name(case: dict[str, Any]) -> str:
    return f"{case['id']} {case['why']}"


async def hear(provider: Anthropic) -> tuple[list[Chunk], ProviderError | None]:
    """What is heard until it ends, well or badly."""
    chunks: list[Chunk] = []
    async with provider:
        try:
            async for chunk in provider.chat(HELLO):
                chunks.append(chunk)
        except ProviderError as error:
            return chunks, error
    return chunks, None


def heard(fault: Fault, say: Say = ANSWER) -> tuple[list[Chunk], ProviderError | None]:
    with AnthropicServer(Say(say.words, fault=fault)) as server:
        return asyncio.run(hear(Anthropic(api_key=KEY, base_url=server.url, idle_seconds=IDLE)))


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


class Told:
    """A stream of Chat Completions, told as this vendor would have told it."""

    def __init__(self) -> None:
        self.bytes = event("message_start", message={"usage": {}})
        self._opened: dict[str, int] = {}

    def tell(self, frame: dict[str, Any]) -> None:
        """Tell one event."""
        choice = frame["choices"][0]
        said = choice["delta"]
        for key, kind, field in (("content", "text", "text"), ("reasoning_content", "thinking", "thinking")):
            if key in said:
                at = self._block(kind, {"type": kind, field: ""})
                self._delta(at, {"type": f"{kind}_delta", field: said[key]})
        for call in said.get("tool_calls", ()):
            self._call(call)
        if choice.get("finish_reason"):
            reasons = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
            self.bytes += event("message_delta", delta={"stop_reason": reasons[choice["finish_reason"]]})

    def _call(self, call: dict[str, Any]) -> None:
        function = call["function"]
        given = function.get("arguments", "")
        at_once = given if isinstance(given, dict) else {}
        tool = {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": at_once}
        at = self._block(f"call {call['index']}", tool)
        if isinstance(given, str):
            self._delta(at, {"type": "input_json_delta", "partial_json": given})

    def _block(self, name: str, block: dict[str, Any]) -> int:
        if name not in self._opened:
            self._opened[name] = len(self._opened)
            self.bytes += event("content_block_start", index=self._opened[name], content_block=block)
        return self._opened[name]

    def _delta(self, index: int, delta: dict[str, Any]) -> None:
        self.bytes += event("content_block_delta", index=index, delta=delta)


def translated(case: dict[str, Any]) -> bytes:
    """A stream of the catalogue in this vendor's events; what is broken in it stays as it is."""
    whole = b"".join(base64.b64decode(piece) for piece in case["given"]["chunks_b64"])
    if case["expect"].get("dialect") == "anthropic":
        return whole
    told = Told()
    for line in whole.replace(b"\r\n", b"\n").split(b"\n"):
        data = line.removeprefix(b"data:").strip()
        try:
            told.tell(json.loads(data))
        except (ValueError, KeyError):
            told.bytes += event("message_stop") if data == b"[DONE]" else line + b"\n"
    return told.bytes


SPLIT_NAMES = {"S17"}
ENDS_BY_ITSELF = {"S09"}


@absent
@pytest.mark.parametrize("case", [case for case in cases("sse") if case["id"] not in SPLIT_NAMES], ids=name)
def test_streams_of_the_catalogue(case: dict[str, Any]) -> None:
    expect, endless = case["expect"], case["id"] == "S24"
    body = translated(case)
    if case["id"] == "S06":
        body = body.replace(b"\n", b"\r\n")
    if case["id"] == "S07":
        body = body.replace(b": ", b":")
    slice = 1 if len(body) < 1000 else None
    chunks, error = heard(Fault(body=body, slice=slice, after=After.DRIPS if endless else After.ENDS))

    assert (error is None) is isinstance(chunks[-1] if chunks else None, Done)
    if case["id"] in ENDS_BY_ITSELF or expect["outcome"] == "incomplete":
        assert isinstance(error, Unavailable)
    elif expect["outcome"] == "ok":
        assert error is None
    elif expect["outcome"] == "tools":
        assert [call.arguments for call in calls(chunks)] == expect["args"]
    if expect["outcome"] == "truncated_tool" or expect.get("executed") is False:
        assert not calls(chunks)
    if "text" in expect:
        assert text(chunks) == expect["text"]


DOCUMENTS = {
    "H14": {"type": "message", "usage": {}},
    "H16": {"type": "message", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"},
    "H20": {"type": "message", "content": [{"type": "text", "text": "x"}], "stop_reason": "eos_token_7"},
}


@absent
@pytest.mark.parametrize("case", [case for case in cases("http") if case["given"]["status"] != "dns-failure"], ids=name)
def test_answers_of_the_catalogue(case: dict[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    body = json.dumps(DOCUMENTS[case["id"]]) if case["id"] in DOCUMENTS else given["body"]
    plain = {"content-type": "application/json", **given["headers"]}
    fault = STATUS.get(given["status"]) or Fault(status=given["status"], headers=plain, body=body.encode())
    chunks, error = heard(fault)

    match expect["outcome"]:
        case "ok":
            assert isinstance(chunks[-1], Done)
        case "retry":
            assert isinstance(error, Unavailable)
            assert (error.retry_after or 0) >= expect.get("after_s", (0, 0))[0]
        case "fail":
            assert isinstance(error, Refused)
        case "compact_and_retry":
            assert isinstance(error, Refused)
            assert error.overflow
    assert "sk-abcd" not in str(error)


@absent
@pytest.mark.parametrize("case", [case for case in cases("proto") if "tool_calls" in case["given"]], ids=name)
def test_tool_calls_of_the_catalogue_get_ids_of_their_own(case: dict[str, Any]) -> None:
    asked = [ToolCall(call["id"], call["name"], json.loads(call["arguments"])) for call in case["given"]["tool_calls"]]
    chunks, error = heard(Fault(), Say(asked))

    assert error is None
    assert len({call.id for call in calls(chunks)}) == len(asked)


@pytest.mark.parametrize(
    ("status", "kind", "words", "raised", "overflow"),
    [
        (400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum", Refused, True),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 9 + 2",
            Refused,
            True,
        ),
        (400, "invalid_request_error", "Your credit balance is too low to access the API", Refused, False),
        (400, "invalid_request_error", "max_tokens: Field required", Refused, False),
        (401, "authentication_error", "invalid x-api-key", Refused, False),
        (402, "billing_error", "Payment required", Refused, False),
        (403, "permission_error", "not allowed", Refused, False),
        (404, "not_found_error", "model: claude-nowhere", Refused, False),
        (413, "request_too_large", "Request exceeds the maximum size", Refused, True),
        (429, "rate_limit_error", "slow down", Unavailable, None),
        (500, "api_error", "Internal server error", Unavailable, None),
        (504, "timeout_error", "timed out", Unavailable, None),
        (529, "overloaded_error", "Overloaded", Unavailable, None),
    ],
)
def test_the_vendor_s_errors_are_told_apart(status: int, kind: str, words: str, raised: Any, overflow: Any) -> None:
    _, found = heard(Fault(status=status, headers={"retry-after": "7"}, body=written(error(kind, words))))

    assert isinstance(found, raised)
    assert words in str(found)
    assert getattr(found, "overflow", None) is overflow
    assert getattr(found, "retry_after", None) == (7.0 if raised is Unavailable else None)


def test_a_model_that_is_not_there_is_named() -> None:
    with AnthropicServer(models=["claude-other"]) as server:
        _, found = asyncio.run(hear(Anthropic(api_key="k", base_url=server.url)))

    assert isinstance(found, Refused)
    assert "model: claude-fake" in str(found)
    assert "Check the model's name" in str(found)


def test_an_overload_in_mid_stream_may_pass_and_nothing_is_acted_upon() -> None:
    start = WHOLE[: WHOLE.index(b"event: message_delta")]
    overloaded = b"event: error\ndata: " + written(error("overloaded_error", "Overloaded")) + b"\n\n"
    chunks, found = heard(Fault(body=start + overloaded))

    assert isinstance(found, Unavailable)
    assert not calls(chunks)
