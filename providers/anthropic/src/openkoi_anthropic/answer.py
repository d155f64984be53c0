"""Parse a streamed or complete response of the Messages API into chunks.

Tool calls are returned only after the response has arrived in full.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, StreamEnd
from openkoi_http import Server, finish_response, parse_object

from .blocks import ContentBlocks
from .errors import error_from_frame
from .usage import parse_counts, to_usage

FINISH_REASONS = {
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.REFUSED,
}


class MessagesResponseParser:
    """Parse one response; call ``finish`` at its end."""

    def __init__(self, server: Server) -> None:
        self.over = False
        self._server = server
        self._blocks = ContentBlocks()
        self._counts: dict[str, int] = {}
        self._finish = ""

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Parse one event of the stream; return None for an event that only keeps the connection alive."""
        frame = self._parse_frame(data)
        match frame.get("type"):
            case "message_start":
                self._record_message(frame.get("message"))
                return ()
            case "content_block_start":
                return self._blocks.begin(frame.get("index"), frame.get("content_block"))
            case "content_block_delta":
                return self._blocks.add(frame.get("index"), frame.get("delta"))
            case "content_block_stop":
                self._blocks.end(frame.get("index"))
                return ()
            case "message_delta":
                self._record_message(frame)
                self._record_message(frame.get("delta"))
                return ()
            case "message_stop":
                self.over = True
                return ()
        return None

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Parse a response that was sent as one document."""
        frame = self._parse_frame(data)
        content = frame.get("content") or []
        if not isinstance(content, list):
            raise self._server.unavailable("did not return a message.")
        self._record_message(frame)
        self.over = True
        started = [self._blocks.begin(index, block) for index, block in enumerate(content)]
        return [chunk for chunks in started for chunk in chunks or ()]

    def finish(self) -> Sequence[Chunk]:
        """Return the tool calls and StreamEnd; raise ProviderUnavailableError for a truncated response."""
        if self.over and not self._finish and not self._blocks.has_content:
            raise self._server.empty_error()
        if not self.over or not self._finish or self._blocks.mixed_up:
            why = ": it sent arguments without a tool call" if self._blocks.mixed_up else ""
            raise self._server.unavailable(f"ended its response early{why}; none of it was used.")
        stop, usage = FINISH_REASONS.get(self._finish, FinishReason.END), to_usage(self._counts)
        rest = list(self._blocks.remaining_chunks(calls=stop is FinishReason.END))
        if stop is not FinishReason.END:
            return (*rest, StreamEnd(usage, stop))
        return finish_response(
            self._server, rest, usage, has_text=self._blocks.has_text, asks=self._finish == "tool_use"
        )

    def _parse_frame(self, data: str | bytes) -> dict[str, Json]:
        frame = parse_object(data, self._server)
        if frame.get("error") or frame.get("type") == "error":
            raise error_from_frame(self._server, frame)
        return frame

    def _record_message(self, message: Json) -> None:
        """Record the usage and the finish reason that a frame carries."""
        if not isinstance(message, dict):
            return
        self._counts |= parse_counts(message.get("usage"))
        finish = message.get("stop_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish
