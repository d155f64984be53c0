"""Parse a streamed or complete Gemini response into chunks.

Tool calls are returned only after the response has arrived in full.
"""

from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import (
    Chunk,
    FinishReason,
    Json,
    Reasoning,
    RequestRejectedError,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
)
from openkoi_http import Server, ToolCallFactory, error_from_body, finish_response, make_buffered, parse_object
from openkoi_http.json_objects import decode_json
from openkoi_http.server import one_line

from .errors import find_error, objects_in, to_provider_error
from .thought_signatures import join_signatures
from .usage import parse_usage

END_OF_STREAM = "[DONE]"
FINISH_REASONS = {
    "MAX_TOKENS": FinishReason.LENGTH,
    "CONTINUATION": FinishReason.LENGTH,
    "SAFETY": FinishReason.REFUSED,
    "RECITATION": FinishReason.REFUSED,
    "BLOCKLIST": FinishReason.REFUSED,
    "PROHIBITED_CONTENT": FinishReason.REFUSED,
    "SPII": FinishReason.REFUSED,
    "LANGUAGE": FinishReason.REFUSED,
    "ESCALATION": FinishReason.REFUSED,
    "MODEL_ARMOR": FinishReason.REFUSED,
    "IMAGE_SAFETY": FinishReason.REFUSED,
    "IMAGE_PROHIBITED_CONTENT": FinishReason.REFUSED,
    "IMAGE_RECITATION": FinishReason.REFUSED,
}
BROKEN_REASONS = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})
MISSING_SIGNATURE = "MISSING_THOUGHT_SIGNATURE"


class GeminiResponseParser:
    """Parse one response; call ``finish`` at its end."""

    def __init__(self, server: Server) -> None:
        self.over = False
        self._server = server
        self._calls = ToolCallFactory()
        self._asked: list[tuple[str, ToolCall]] = []
        self._usage = Usage()
        self._finish = ""
        self._why = ""
        self._blocked = False
        self._own = ""
        self._has_text = False
        self._whole = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Parse one event of the stream."""
        if data.startswith(END_OF_STREAM):
            self.over = True
            return ()
        return self._parse_frame(parse_object(data, self._server))

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Parse a response sent as one document, or as a list of events."""
        self._whole = True
        frames = parse_event_list(data) or [parse_object(data, self._server)]
        return [chunk for frame in frames for chunk in self._parse_frame(frame) or ()]

    def finish(self) -> Sequence[Chunk]:
        """Return the tool calls and StreamEnd; raise ProviderUnavailableError for a truncated response."""
        if self._blocked:
            return (StreamEnd(self._usage, FinishReason.REFUSED),)
        if self._whole and not (self._finish or self._has_text or self._asked):
            raise self._server.empty_error()
        if not self._finish or self._finish in BROKEN_REASONS:
            raise self._server.unavailable(f"ended its response early{self._reason()}; none of it was used.")
        if self._finish == MISSING_SIGNATURE:
            raise self._missing_signature_error()
        stop = FINISH_REASONS.get(self._finish, FinishReason.END)
        if stop in (FinishReason.LENGTH, FinishReason.REFUSED):
            return (StreamEnd(self._usage, stop),)
        return finish_response(
            self._server, tuple(self._signed_calls()), self._usage, has_text=self._has_text, asks=False
        )

    def _signed_calls(self) -> Iterator[Chunk]:
        """Yield each tool call after the signature that it came with."""
        for seal, call in self._asked:
            if seal:
                yield self._signature_chunk(seal)
            self._own = ""
            yield call

    def _reason(self) -> str:
        why = f" ({one_line(self._why)})" if self._why else ""
        return f" with the reason {self._finish}{why}" if self._finish else ""

    def _missing_signature_error(self) -> RequestRejectedError:
        return self._server.rejected_error(
            "requires a thought signature, which is missing because another model started the conversation. "
            "Start a new task."
        )

    def _parse_frame(self, frame: Mapping[str, Json]) -> Sequence[Chunk] | None:
        """Parse one event; return None when it contains nothing."""
        if frame.get("error"):
            raise to_provider_error(find_error(dict(frame)), self._server) or error_from_body(self._server, frame)
        counted = parse_usage(frame.get("usageMetadata"))
        self._usage = counted if counted.total else self._usage
        feedback = frame.get("promptFeedback")
        self._blocked = self._blocked or (isinstance(feedback, dict) and bool(feedback.get("blockReason")))
        candidate = first_candidate(frame.get("candidates"))
        if candidate is None:
            return () if counted.total else None
        news = bool(self._record_finish(candidate)) or bool(counted.total)
        chunks = [chunk for part in parts_of(candidate) for chunk in self._parse_part(part)]
        return chunks if chunks or news else None

    def _record_finish(self, candidate: Mapping[str, Json]) -> str:
        """Record the finish reason; some servers send one with every event, so the last one counts."""
        finish, why = candidate.get("finishReason"), candidate.get("finishMessage")
        if not isinstance(finish, str) or not finish:
            return ""
        self._finish, self._why = finish, why if isinstance(why, str) else ""
        return finish

    def _parse_part(self, part: Mapping[str, Json]) -> Iterator[Chunk]:
        """Parse one part with its signature, if any."""
        seal, text, call = text_of(part, "thoughtSignature"), text_of(part, "text"), part.get("functionCall")
        if isinstance(call, dict):
            self._asked.append((seal, self._make_call(call)))
            yield from make_buffered(call.get("args"))
        elif part.get("thought") is True or not text:
            yield from self._reasoning_chunk(text, seal)
        else:
            if seal:
                yield self._signature_chunk(seal)
            self._own = ""
            self._has_text = True
            yield Text(text)

    def _reasoning_chunk(self, text: str, own: str) -> Iterator[Chunk]:
        self._own = own or self._own
        if text or own:
            yield Reasoning(text, join_signatures(own, ""))

    def _signature_chunk(self, following: str) -> Reasoning:
        """Return reasoning that carries the signature of the next part, and that of the preceding thought."""
        return Reasoning("", join_signatures(self._own, following))

    def _make_call(self, call: Mapping[str, Json]) -> ToolCall:
        arguments = call.get("args")
        written = {} if arguments is None else arguments
        return self._calls.make(text_of(call, "id"), text_of(call, "name"), written)


def parse_event_list(data: bytes) -> list[dict[str, Json]]:
    """Return the events of a response sent as one list, or an empty list."""
    try:
        found = decode_json(data)
    except (ValueError, RecursionError):
        return []
    return objects_in(found)


def first_candidate(candidates: Json) -> dict[str, Json] | None:
    """Return the first candidate."""
    return next((candidate for candidate in objects_in(candidates) if not candidate.get("index")), None)


def parts_of(candidate: Mapping[str, Json]) -> list[dict[str, Json]]:
    """Return the content parts of a candidate."""
    content = candidate.get("content")
    return objects_in(content.get("parts")) if isinstance(content, dict) else []


def text_of(part: Mapping[str, Json], key: str) -> str:
    """Return the text under a key, or an empty string."""
    value = part.get(key)
    return value if isinstance(value, str) else ""
