"""Make sense of an answer, as it streams in or whole.

Knows the format. Nothing is acted upon that did not arrive in full: calls are told when the answer has ended well.
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
from openkoi_wire import Calls, Server, buffered, concluded, parsed, reported
from openkoi_wire.objects import decoded
from openkoi_wire.server import one_line

from .seals import sealed
from .troubles import error_of, objects, trouble_in
from .usage import usage_of

END = "[DONE]"
STOPS = {
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
BROKEN = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})
UNSIGNED = "MISSING_THOUGHT_SIGNATURE"


class Answer:
    """One answer. ``ending`` is asked for when nothing more comes."""

    def __init__(self, server: Server) -> None:
        self.over = False
        self._server = server
        self._calls = Calls()
        self._asked: list[tuple[str, ToolCall]] = []
        self._usage = Usage()
        self._finish = ""
        self._why = ""
        self._blocked = False
        self._own = ""
        self._said = False
        self._whole = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Read an event of the stream."""
        if data.startswith(END):
            self.over = True
            return ()
        return self._read(parsed(data, self._server))

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Read an answer that came whole: one document, or a list of what would have been events."""
        self._whole = True
        frames = listed(data) or [parsed(data, self._server)]
        return [chunk for frame in frames for chunk in self._read(frame) or ()]

    def ending(self) -> Sequence[Chunk]:
        """Return the tool calls and Done; raises ProviderUnavailableError when the answer was cut off."""
        if self._blocked:
            return (StreamEnd(self._usage, FinishReason.REFUSED),)
        if self._whole and not (self._finish or self._said or self._asked):
            raise self._server.empty()
        if not self._finish or self._finish in BROKEN:
            raise self._server.unavailable(f"ended its response early{self._reason()}; none of it was used.")
        if self._finish == UNSIGNED:
            raise self._unsigned()
        stop = STOPS.get(self._finish, FinishReason.END)
        if stop in (FinishReason.LENGTH, FinishReason.REFUSED):
            return (StreamEnd(self._usage, stop),)
        return concluded(self._server, tuple(self._told()), self._usage, said=self._said, asks=False)

    def _told(self) -> Iterator[Chunk]:
        """Tell each call, and before it the signature that it came with."""
        for seal, call in self._asked:
            if seal:
                yield self._seal(seal)
            self._own = ""
            yield call

    def _reason(self) -> str:
        why = f" ({one_line(self._why)})" if self._why else ""
        return f" with the reason {self._finish}{why}" if self._finish else ""

    def _unsigned(self) -> RequestRejectedError:
        return self._server.refused(
            "misses the signature of a thought, as when the conversation was begun with another model. Begin it anew."
        )

    def _read(self, frame: Mapping[str, Json]) -> Sequence[Chunk] | None:
        """Read one event; None when there is nothing in it."""
        if frame.get("error"):
            raise error_of(trouble_in(dict(frame)), self._server) or reported(self._server, frame)
        counted = usage_of(frame.get("usageMetadata"))
        self._usage = counted if counted.total else self._usage
        feedback = frame.get("promptFeedback")
        self._blocked = self._blocked or (isinstance(feedback, dict) and bool(feedback.get("blockReason")))
        candidate = first(frame.get("candidates"))
        if candidate is None:
            return () if counted.total else None
        news = bool(self._ended(candidate)) or bool(counted.total)
        chunks = [chunk for part in parts_of(candidate) for chunk in self._piece(part)]
        return chunks if chunks or news else None

    def _ended(self, candidate: Mapping[str, Json]) -> str:
        """Note why it ends; some servers say so with every event, and the last word holds."""
        finish, why = candidate.get("finishReason"), candidate.get("finishMessage")
        if not isinstance(finish, str) or not finish:
            return ""
        self._finish, self._why = finish, why if isinstance(why, str) else ""
        return finish

    def _piece(self, part: Mapping[str, Json]) -> Iterator[Chunk]:
        """Read one part, and the signature that it may have."""
        seal, text, call = text_of(part, "thoughtSignature"), text_of(part, "text"), part.get("functionCall")
        if isinstance(call, dict):
            self._asked.append((seal, self._call(call)))
            yield from buffered(call.get("args"))
        elif part.get("thought") is True or not text:
            yield from self._thought(text, seal)
        else:
            if seal:
                yield self._seal(seal)
            self._own = ""
            self._said = True
            yield Text(text)

    def _thought(self, text: str, own: str) -> Iterator[Chunk]:
        self._own = own or self._own
        if text or own:
            yield Reasoning(text, sealed(own, ""))

    def _seal(self, following: str) -> Reasoning:
        """Carry the signature of the part that comes next, and of a thought right before it, which it grows into."""
        return Reasoning("", sealed(self._own, following))

    def _call(self, call: Mapping[str, Json]) -> ToolCall:
        arguments = call.get("args")
        written = {} if arguments is None else arguments
        return self._calls.make(text_of(call, "id"), text_of(call, "name"), written)


def listed(data: bytes) -> list[dict[str, Json]]:
    """Return the events of an answer that came as one list, or nothing when it did not."""
    try:
        found = decoded(data)
    except (ValueError, RecursionError):
        return []
    return objects(found)


def first(candidates: Json) -> dict[str, Json] | None:
    """Return the one answer that was asked for."""
    return next((one for one in objects(candidates) if not one.get("index")), None)


def parts_of(candidate: Mapping[str, Json]) -> list[dict[str, Json]]:
    """Return the parts of what is said."""
    content = candidate.get("content")
    return objects(content.get("parts")) if isinstance(content, dict) else []


def text_of(part: Mapping[str, Json], key: str) -> str:
    """Return a text, or nothing when there is none."""
    value = part.get(key)
    return value if isinstance(value, str) else ""
