"""Parse a streamed or complete Chat Completions response, in the variants of many servers, into chunks.

Tool calls are returned only after the response has arrived in full.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Buffered, Chunk, FinishReason, Json, Reasoning, StreamEnd, Text, Usage
from openkoi_http import Server, error_from_body, finish_response, make_buffered, parse_object

from ..usage import parse_usage
from .calls import PartialToolCalls
from .server_quirks import ServerQuirks

END_OF_STREAM = "[DONE]"
ARGUMENTS = "arguments"  # of tool calls, where duplicate keys matter
FINISH_REASONS = {
    "tool_calls": FinishReason.TOOLS,
    "function_call": FinishReason.TOOLS,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSED,
    "refusal": FinishReason.REFUSED,
}
BROKEN_REASONS = frozenset({"error", "abort", "aborted", "cancelled", "network_error", "insufficient_system_resource"})


class ChatResponseParser:
    """Parse one response; call ``finish`` at its end."""

    def __init__(self, server: Server, manners: ServerQuirks = ServerQuirks()) -> None:  # noqa: B008 - frozen
        self.over = False
        self._server = server
        self._thoughts = manners.reasoning_keys
        self._calls = PartialToolCalls()
        self._usage = Usage()
        self._finish = ""
        self._refused = False
        self._spoke = False
        self._begun = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Parse one event of the stream."""
        if data.startswith(END_OF_STREAM):
            self.over = True
            return ()
        return self._parse_choice(self._parse_frame(data), "delta")

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Parse a response that was sent as one document."""
        self.over = True
        return self._parse_choice(self._parse_frame(data), "message") or ()

    def finish(self) -> Sequence[Chunk]:
        """Return the tool calls and StreamEnd; raise ProviderUnavailableError for a truncated response."""
        if not (self._finish or self._begun) and self.over:
            raise self._server.empty_error()
        if not self._finish or self._finish in BROKEN_REASONS:
            why = f" with the reason {self._finish!r}" if self._finish else ""
            raise self._server.unavailable(f"ended its response early{why}; none of it was used.")
        stop = FinishReason.REFUSED if self._refused else FINISH_REASONS.get(self._finish, FinishReason.END)
        if stop in (FinishReason.LENGTH, FinishReason.REFUSED):
            return (StreamEnd(self._usage, stop),)
        calls, asks = self._calls.finish(), stop is FinishReason.TOOLS
        return finish_response(self._server, calls, self._usage, has_text=self._spoke, asks=asks)

    def _parse_frame(self, data: str | bytes) -> dict[str, Json]:
        marking = not isinstance(data, str) or ARGUMENTS in data
        frame = parse_object(data, self._server, marking=marking)
        if frame.get("error") or frame.get("object") == "error":
            raise error_from_body(self._server, frame)
        return frame

    def _parse_choice(self, frame: dict[str, Json], key: str) -> Sequence[Chunk] | None:
        counted = frame.get("usage")
        if counted:
            self._usage = parse_usage(counted)
        choice = first_choice(frame.get("choices"))
        if choice is None or self._finish:
            return () if counted else None
        chunks = self._parse_delta(choice.get(key if key in choice else "message"))
        self._begun |= chunks is not None
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish
            return chunks or ()
        return chunks

    def _parse_delta(self, delta: Json) -> Sequence[Chunk] | None:
        if not isinstance(delta, dict):
            return None
        if len(delta) == 1 and isinstance(text := delta.get("content"), str) and text:  # as most are
            self._spoke = True
            return (Text(text),)
        thought = next((name for name in self._thoughts if delta.get(name)), "")
        pieces = (self._parse_field(key, value, thought) for key, value in delta.items() if value)
        found = [chunks for chunks in pieces if chunks is not None]
        parsed_chunks = [chunk for chunks in found for chunk in chunks]
        self._spoke |= any(isinstance(chunk, Text) for chunk in parsed_chunks)
        return parsed_chunks if found else None

    def _parse_field(self, key: str, value: Json, thought: str) -> Sequence[Chunk] | None:
        """Parse one field of a delta; ``thought`` is the key of the reasoning. Return None for an unknown field."""
        match key:
            case "content":
                return [Text(text)] if (text := join_content(value)) else None
            case "tool_calls":
                return buffered_calls(value) if self._calls.add(value) else None
            case "function_call":
                return buffered_function(value) if self._calls.add_function_call(value) else None
            case _ if key == thought:
                return [Reasoning(text)] if (text := join_content(value)) else None
            case "refusal":
                self._refused = bool(join_content(value))
                return [Text(join_content(value))] if self._refused else None
        return None


def buffered_calls(calls: Json) -> list[Buffered]:
    """Return how much of the calls' arguments has arrived."""
    pieces = [piece for piece in calls if isinstance(piece, dict)] if isinstance(calls, list) else []
    return [event for piece in pieces for event in buffered_function(piece.get("function"))]


def buffered_function(function: Json) -> list[Buffered]:
    """Return how much of a call's arguments has arrived."""
    return make_buffered(function.get("arguments")) if isinstance(function, dict) else []


def first_choice(choices: Json) -> dict[str, Json] | None:
    """Return the first choice."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return None


def join_content(content: Json) -> str:
    """Return the content as text, also when it is a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))
