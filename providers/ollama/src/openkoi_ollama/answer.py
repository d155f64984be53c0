"""Parse a streamed or complete Ollama response into chunks.

Tool calls are returned only after the response has arrived in full.
"""

from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, Reasoning, StreamEnd, Text, ToolCall, Usage
from openkoi_http import (
    Server,
    ToolCallFactory,
    error_from_body,
    finish_response,
    make_buffered,
    parse_count,
    parse_object,
)

LOAD_REASONS = frozenset({"load", "unload"})


class OllamaResponseParser:
    """Parse one response; call ``finish`` at its end."""

    def __init__(self, server: Server) -> None:
        self.over = False
        self.usage = Usage()
        self._server = server
        self._asked: list[Mapping[str, Json]] = []
        self._reason = ""
        self._has_text = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Parse one line of the stream."""
        return self._parse_frame(parse_object(data, self._server))

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Parse a response that was sent as one document."""
        return self._parse_frame(parse_object(data, self._server)) or ()

    def finish(self) -> Sequence[Chunk]:
        """Return the tool calls and StreamEnd; raise ProviderUnavailableError for a truncated response."""
        if not self.over:
            raise self._server.unavailable("ended its response early; none of it was used.")
        if self._reason in LOAD_REASONS:
            raise self._server.unavailable(f"returned no content, only the reason {self._reason!r}.")
        if self._reason == "length":
            return (StreamEnd(self.usage, FinishReason.LENGTH),)
        calls = ToolCallFactory()
        made = [make_tool_call(asked, calls) for asked in self._asked]
        return finish_response(
            self._server, made, self.usage, has_text=self._has_text, asks=self._reason == "tool_calls"
        )

    def _parse_frame(self, frame: dict[str, Json]) -> Sequence[Chunk] | None:
        if frame.get("error"):
            raise error_from_body(self._server, frame)
        message, done = frame.get("message"), frame.get("done") is True
        if done:
            self.over = True
            self._record_end(frame)
        if not isinstance(message, dict):
            return () if done else None
        asked = message.get("tool_calls")
        calls = [call for call in asked if isinstance(call, dict)] if isinstance(asked, list) else []
        self._asked += calls
        chunks = parse_message(message)
        self._has_text |= any(isinstance(chunk, Text) for chunk in chunks)
        return [*chunks, *(event for call in calls for event in make_buffered(call.get("function")))]

    def _record_end(self, frame: Mapping[str, Json]) -> None:
        reason = frame.get("done_reason")
        self._reason = reason if isinstance(reason, str) else ""
        self.usage = Usage(
            input=parse_count(frame.get("prompt_eval_count")), output=parse_count(frame.get("eval_count"))
        )


def parse_message(message: Mapping[str, Json]) -> Sequence[Chunk]:
    """Return the reasoning and text of a message."""
    thought, text = message.get("thinking"), message.get("content")
    thoughts = [Reasoning(thought)] if isinstance(thought, str) and thought else []
    return [*thoughts, Text(text)] if isinstance(text, str) and text else thoughts


def make_tool_call(asked: Mapping[str, Json], calls: ToolCallFactory) -> ToolCall:
    """Return a tool call; its arguments are an object, and older servers send no id."""
    call_id, function = asked.get("id"), asked.get("function")
    given = function if isinstance(function, dict) else {}
    name, arguments = given.get("name"), given.get("arguments")
    written = {} if arguments is None else arguments
    return calls.make(call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "", written)
