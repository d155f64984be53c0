"""Test every fault of the catalogue in this vendor's format, and broken connections: never half a tool call."""

import base64
import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from data_files import FAULTS

from openkoi_anthropic import Anthropic
from openkoi_hookspecs import Provider, ProviderUnavailableError, Reasoning, ToolCall
from openkoi_testing.contracts.fault_catalogue import JSON, CatalogueCase, ResponsesContract, StreamsContract
from openkoi_testing.contracts.faults import TIMEOUT_SECONDS, CutsContract, FaultsContract
from openkoi_testing.contracts.provider_harness import ProviderHarness
from openkoi_testing.servers import AnthropicServer, Say, ServerFault
from openkoi_testing.servers.anthropic_responses import complete_message, format_event, stream_events
from openkoi_testing.servers.json_body import to_json

ANSWER = Say([Reasoning("Hm.", signature="c2ln"), "Héllo 😀", ToolCall("a", "read", {"path": "ä"}), "More."], delta=9)
SPOKEN = (*stream_events(ANSWER, {"model": "claude-fake"}),)
WHOLE = b"".join(SPOKEN)
DOCUMENTS = {
    "H14": {"type": "message", "usage": {}},
    "H16": {"type": "message", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"},
    "H20": {"type": "message", "content": [{"type": "text", "text": "x"}], "stop_reason": "eos_token_7"},
}
SPLIT_NAMES = {"S17"}
ENDS_BY_ITSELF = {"S09"}


class Told:
    """A stream of Chat Completions, converted to this vendor's format."""

    def __init__(self) -> None:
        self.bytes = format_event("message_start", message={"usage": {}})
        self._opened: dict[str, int] = {}

    def tell(self, frame: dict[str, Any]) -> None:
        """Tell one event."""
        choice = frame["choices"][0]
        reply = choice["delta"]
        for key, kind, field in (("content", "text", "text"), ("reasoning_content", "thinking", "thinking")):
            if key in reply:
                at = self._block(kind, {"type": kind, field: ""})
                self._delta(at, {"type": f"{kind}_delta", field: reply[key]})
        for call in reply.get("tool_calls", ()):
            self._call(call)
        if choice.get("finish_reason"):
            reasons = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
            self.bytes += format_event("message_delta", delta={"stop_reason": reasons[choice["finish_reason"]]})

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
            self.bytes += format_event("content_block_start", index=self._opened[name], content_block=block)
        return self._opened[name]

    def _delta(self, index: int, delta: dict[str, Any]) -> None:
        self.bytes += format_event("content_block_delta", index=index, delta=delta)


def translated(case: CatalogueCase) -> bytes:
    """A stream of the catalogue in this vendor's events; broken parts stay broken."""
    whole = b"".join(base64.b64decode(piece) for piece in case["given"]["chunks_b64"])
    if case["expect"].get("dialect") == "anthropic":
        return whole
    output = Told()
    for line in whole.replace(b"\r\n", b"\n").split(b"\n"):
        data = line.removeprefix(b"data:").strip()
        try:
            output.tell(json.loads(data))
        except (ValueError, KeyError):
            output.bytes += format_event("message_stop") if data == b"[DONE]" else line + b"\n"
    return output.bytes


class Messages(ProviderHarness):
    server, model, answer = AnthropicServer, "claude-fake", ANSWER

    def provider(self, **settings: Any) -> Provider:
        return Anthropic(**{"api_key": "sk-ant-test", **settings})


class TestStreams(Messages, StreamsContract):
    catalogue = FAULTS
    left_out = frozenset(SPLIT_NAMES)
    dialect = "anthropic"

    def expected_of(self, case: CatalogueCase) -> CatalogueCase:
        """A stream without the end of the message counts as truncated."""
        expect = super().expected_of(case)
        return {**expect, "outcome": "incomplete"} if case["id"] in ENDS_BY_ITSELF else expect

    def stream_of(self, case: CatalogueCase) -> Sequence[bytes]:
        body = translated(case)
        if case["id"] == "S06":
            body = body.replace(b"\n", b"\r\n")
        if case["id"] == "S07":
            body = body.replace(b": ", b":")
        step = 1 if len(body) < 1000 else len(body)
        return [body[start : start + step] for start in range(0, len(body), step)]


class TestAnswers(Messages, ResponsesContract):
    catalogue = FAULTS

    def body_of(self, case: CatalogueCase) -> bytes:
        known = DOCUMENTS.get(case["id"])
        return json.dumps(known).encode() if known else super().body_of(case)


class TestDocuments(Messages, CutsContract):
    """An answer that arrives complete although a stream was requested."""

    spoken = (to_json(complete_message(ANSWER, {"model": "claude-fake"})),)
    kind = JSON


class TestFaults(Messages, FaultsContract):
    spoken = SPOKEN
    breaks = (0, 1, 700, len(WHOLE) - 60, len(WHOLE) - 30)

    def test_a_cut_that_no_one_can_see_is_seen(self) -> None:
        response = self.receive(ServerFault(cut=len(WHOLE) - 60, framed=False))

        assert "none of it was used" in str(response.error)

    @pytest.mark.parametrize("keep_alive", [b": still there\n\n", format_event("ping")], ids=["comments", "pings"])
    def test_keep_alives_alone_are_not_waited_for_longer_than_is_said(self, keep_alive: bytes) -> None:
        body = [WHOLE[: WHOLE.index(b"event: content_block_stop")], *[keep_alive] * 2000]
        start = time.monotonic()
        response = self.receive(ServerFault(body=body, pause=0.02), idle_seconds=0.2)

        assert isinstance(response.error, ProviderUnavailableError)
        assert "sent no new content" in str(response.error)
        assert not response.calls
        assert time.monotonic() - start < TIMEOUT_SECONDS

    @pytest.mark.campaign
    def test_events_that_add_up_without_end_are_broken_off(self) -> None:
        piece = format_event("content_block_delta", index=0, delta={"type": "text_delta", "text": "x" * 4_000_000})
        response = self.receive(ServerFault(body=[piece] * 25))

        assert isinstance(response.error, ProviderUnavailableError)
