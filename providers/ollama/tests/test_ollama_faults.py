"""Test every fault of the catalogue in this protocol, and broken connections: never half a tool call."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from data_files import FAULTS

from openkoi_hookspecs import Provider, ProviderUnavailableError, ToolCall
from openkoi_ollama import Ollama
from openkoi_testing.contracts.fault_catalogue import CatalogueCase, ResponsesContract, StreamsContract
from openkoi_testing.contracts.faults import NOISE, FaultsContract
from openkoi_testing.contracts.provider_harness import ProviderHarness
from openkoi_testing.servers import OllamaServer, Say, ServerFault
from openkoi_testing.servers.ollama import stream_lines

REPLY = Say(["Héllo 😀", ToolCall("a", "read", {"path": "ä"})])
PIECEMEAL = {"S15", "S17"}
ANTHROPIC = {"S30"}
SMALL = {"S02", "S03"}


def line(frame: Mapping[str, Any]) -> bytes:
    return json.dumps(frame, ensure_ascii=False).encode() + b"\n"


def translated(event: str) -> bytes:
    """Convert an event of the catalogue to Ollama's format; return nothing without a counterpart."""
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


class OwnProtocol(ProviderHarness):
    server, model, answer = OllamaServer, "llama-fake", REPLY

    def provider(self, **settings: Any) -> Provider:
        return Ollama(**settings)


class TestStreams(OwnProtocol, StreamsContract):
    catalogue = FAULTS
    left_out = frozenset(PIECEMEAL | ANTHROPIC)

    def stream_of(self, case: CatalogueCase) -> Sequence[bytes]:
        whole = b"".join(super().stream_of(case)).decode()
        body = b"".join(map(translated, whole.replace("\r\n", "\n").split("\n\n"))) if whole else b""
        step = 1 if case["id"] in SMALL else len(body) or 1
        return [body[start : start + step] for start in range(0, len(body), step)]

    def calls_fault(self, calls: Sequence[ToolCall]) -> ServerFault:
        asked = [{"id": c.id, "function": {"name": c.tool, "arguments": dict(c.arguments)}} for c in calls]
        return ServerFault(body=line({"message": {"tool_calls": asked}, "done": True, "done_reason": "stop"}))


class TestAnswers(OwnProtocol, ResponsesContract):
    catalogue = FAULTS

    def expected_of(self, case: CatalogueCase) -> CatalogueCase:
        """A conversation that is too long is sent again with a larger window."""
        expect = super().expected_of(case)
        return {"outcome": "retry"} if expect["outcome"] == "compact_and_retry" else expect

    def body_of(self, case: CatalogueCase) -> bytes:
        if case["expect"]["outcome"] == "ok":
            return line({"message": {"content": "hi"}, "done": True, "done_reason": "eos_token_7"})
        return super().body_of(case).replace(b'{"choices":[]}', b"{}")


class TestFaults(OwnProtocol, FaultsContract):
    spoken = (*stream_lines(REPLY, {"model": "llama-fake"}),)
    garbage = (*NOISE, b"\x00\xff" * 500 + b"\n", b'\xff\xfe{"done": true}\n', b"[]\n", b"data: {}\n", b"5\n")

    def may_be_complete(self, lengths: Sequence[int], well: Sequence[int]) -> bool:
        """The end of the last line is what makes it a line."""
        return [lengths[-1]] == list(well)

    def test_an_answer_may_take_longer_to_begin_than_to_go_on(self) -> None:
        response = self.receive(ServerFault(delay=1.5), idle_seconds=1.2)

        assert response.error is None
        assert REPLY.text == response.text

    def test_a_line_that_never_ends_is_broken_off(self) -> None:
        response = self.receive(ServerFault(body=[b"x" * 4_000_000] * 25))

        assert "event of more than" in str(response.error)
        assert not response.chunks

    def test_a_full_queue_is_unavailable(self) -> None:
        body = b'{"error":"server busy, please try again.  maximum pending requests exceeded"}'

        assert isinstance(self.receive(ServerFault(status=503, body=body)).error, ProviderUnavailableError)
