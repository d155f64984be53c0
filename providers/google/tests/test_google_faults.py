"""Test every fault of the catalogue in this protocol, and broken connections: never half a tool call."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from data_files import FAULTS

from openkoi_google import Google
from openkoi_hookspecs import Provider, ProviderUnavailableError, Reasoning, ToolCall
from openkoi_testing.contracts.fault_catalogue import JSON, CatalogueCase, ResponsesContract, StreamsContract
from openkoi_testing.contracts.faults import SILENCES, FaultsContract
from openkoi_testing.contracts.provider_harness import ProviderHarness
from openkoi_testing.servers import GoogleServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse
from openkoi_testing.servers.google import stream_events

FINISH = {"length": "MAX_TOKENS", "stop": "STOP", "tool_calls": "STOP", "eos_token_7": "EOS_TOKEN_7"}
FRAME = re.compile(rb"(?<=data:)( ?)(\{.*\})(?=\r?\n)")
SPOKEN = Say(["Héllo 😀", Reasoning("", "c2ln"), ToolCall("a", "read", {"path": "ä"})])


class Translator:
    """Converts events of Chat Completions to Gemini's: a tool call when its arguments are complete."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, str]] = {}

    def translated(self, frame: re.Match[bytes]) -> bytes:
        """Convert one event; leave others unchanged."""
        reply = json.loads(frame[2])
        if "choices" not in reply:
            return frame[0]
        return frame[1] + json.dumps(self.candidates(reply), ensure_ascii=False).encode()

    def candidates(self, reply: dict[str, Any]) -> dict[str, Any]:
        """Convert the one answer in an event."""
        candidates = []
        for choice in reply["choices"]:
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


class Gemini(ProviderHarness):
    server, model, answer = GoogleServer, "gemini-fake", SPOKEN

    def provider(self, **settings: Any) -> Provider:
        return Google(**{"api_key": "AIza-test", **settings})


class TestStreams(Gemini, StreamsContract):
    catalogue = FAULTS

    def stream_of(self, case: CatalogueCase) -> Sequence[bytes]:
        """The same stream in this protocol, cut into pieces of about the same size."""
        pieces = super().stream_of(case)
        whole = FRAME.sub(Translator().translated, b"".join(pieces))
        step = max(1, len(pieces[0])) if pieces else 1
        return [whole[start : start + step] for start in range(0, len(whole), step)]

    def calls_fault(self, calls: Sequence[ToolCall]) -> ServerFault:
        asked = [{"functionCall": {"id": c.id, "name": c.tool, "args": dict(c.arguments)}} for c in calls]
        answer = {"candidates": [{"content": {"parts": asked}, "finishReason": "STOP"}]}
        return ServerFault(headers={"content-type": JSON}, body=json.dumps(answer).encode())


class TestAnswers(Gemini, ResponsesContract):
    catalogue = FAULTS

    def body_of(self, case: CatalogueCase) -> bytes:
        """The same document in this protocol."""
        body = super().body_of(case)
        reply = json.loads(body) if body.startswith(b"{") else {}
        return json.dumps(Translator().candidates(reply)).encode() if "choices" in reply else body


class TestFaults(Gemini, FaultsContract):
    spoken = (*stream_events(SPOKEN),)
    breaks = (0, 1, 150, 400, 900)
    silences = (
        *SILENCES,
        ("events with nothing in them", ServerFault(body=b"data: {}\n\n" * 3, after=AfterResponse.DRIPS)),
    )

    def may_be_complete(self, lengths: Sequence[int], well: Sequence[int]) -> bool:
        """Only the end of the last line may be missing."""
        whole = b"".join(self.spoken)
        return all(whole[:length].rstrip() == whole.rstrip() for length in well)

    def test_a_connection_that_breaks_after_the_last_word_is_unavailable_too(self) -> None:
        """A server that sends a finish reason with every event cannot be distinguished from one that was cut off."""
        response = self.receive(ServerFault(cut=len(b"".join(self.spoken))))

        assert isinstance(response.error, ProviderUnavailableError)
        assert not response.calls

    def test_errors_are_sentences_about_a_host(self) -> None:
        body = b'{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}'
        error = self.receive(ServerFault(status=503, body=body)).error

        assert str(error).startswith("127.0.0.1:")
        assert str(error).endswith("returned status 503: The model is overloaded.")
