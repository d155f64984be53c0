"""Parse a ConverseStream response into chunks.

Tool calls are returned only after the response has arrived in full.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, StreamEnd, Usage
from openkoi_http import Server, error_from_body, finish_response, parse_object

from .blocks import ConverseBlocks
from .errors import stream_error
from .event_stream import ERROR_CODE, ERROR_MESSAGE, EVENT_TYPE, EXCEPTION_TYPE
from .usage import parse_usage

FINISH_REASONS = {
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "guardrail_intervened": FinishReason.REFUSED,
    "content_filtered": FinishReason.REFUSED,
}
BROKEN_REASONS = frozenset({"malformed_model_output", "malformed_tool_use"})


class ConverseResponseParser:
    """Parse one response; call ``finish`` at its end.

    ``answer_tool`` names the tool whose arguments are the answer. Usage arrives after the stop reason.
    """

    def __init__(self, server: Server, answer_tool: str = "") -> None:
        self.over = False
        self._server = server
        self._spoken = answer_tool
        self._blocks = ConverseBlocks(answer_tool)
        self._usage = Usage()
        self._reason = ""

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Parse one event of the stream."""
        frame = parse_object(data, self._server)
        headers, payload = frame.get("headers"), frame.get("payload")
        names = headers if isinstance(headers, dict) else {}
        payload_object = payload if isinstance(payload, dict) else {}
        if EXCEPTION_TYPE in names or ERROR_CODE in names:
            kind = str(names.get(EXCEPTION_TYPE) or names.get(ERROR_CODE))
            raise stream_error(self._server, kind, payload_object.get("message") or names.get(ERROR_MESSAGE))
        return self._parse_event(names.get(EVENT_TYPE), payload_object)

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Raise the error that was sent instead of a stream."""
        raise error_from_body(self._server, parse_object(data, self._server))

    def finish(self, pending_bytes: int = 0) -> Sequence[Chunk]:
        """Return the tool calls and StreamEnd.

        Raise ProviderUnavailableError for a truncated response; ``pending_bytes`` counts the bytes of an
        incomplete frame.
        """
        if not self._reason or self._reason in BROKEN_REASONS or (pending_bytes and not self.over):
            why = f" with the reason {self._reason!r}" if self._reason in BROKEN_REASONS else ""
            raise self._server.unavailable(f"ended its response early{why}; none of it was used.")
        stop = FINISH_REASONS.get(self._reason, FinishReason.END)
        if stop is not FinishReason.END:
            return (StreamEnd(self._usage, stop),)
        if not self._blocks.complete:
            raise self._server.unavailable("ended its response in the middle of a tool call; none of it was used.")
        has_text, asks = self._blocks.has_text, self._reason == "tool_use" and not self._spoken
        return finish_response(self._server, self._blocks.tool_calls(), self._usage, has_text=has_text, asks=asks)

    def _parse_event(self, kind: Json, payload_object: dict[str, Json]) -> Sequence[Chunk] | None:
        if kind == "metadata":
            self._usage = parse_usage(payload_object.get("usage"))
            self.over = bool(self._reason)
            return ()
        if self._reason:
            return None
        at = payload_object.get("contentBlockIndex")
        match kind:
            case "contentBlockStart":
                return self._blocks.start(at, payload_object.get("start"))
            case "contentBlockDelta":
                return self._blocks.add(at, payload_object.get("delta"))
            case "contentBlockStop":
                return self._blocks.stop(at)
            case "messageStop":
                reason = payload_object.get("stopReason")
                self._reason = reason if isinstance(reason, str) and reason else "end_turn"
                return ()
        return None
