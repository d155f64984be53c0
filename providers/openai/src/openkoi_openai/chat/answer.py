"""Make sense of an answer of Chat Completions, as it streams in or whole.

Knows the format and its many dialects. Nothing is acted upon that did not arrive in full.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Buffered, Chunk, FinishReason, Json, Reasoning, StreamEnd, Text, Usage
from openkoi_wire import Server, buffered, concluded, parsed, reported

from ..usage import usage_of
from .calls import Drafts
from .manners import Manners

END = "[DONE]"
STOPS = {
    "tool_calls": FinishReason.TOOLS,
    "function_call": FinishReason.TOOLS,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSED,
    "refusal": FinishReason.REFUSED,
}
BROKEN = frozenset({"error", "abort", "aborted", "cancelled", "network_error", "insufficient_system_resource"})


class Answer:
    """One answer. ``ending`` is asked for when nothing more comes."""

    def __init__(self, server: Server, manners: Manners = Manners()) -> None:  # noqa: B008 - frozen
        self.over = False
        self._server = server
        self._thoughts = manners.thoughts
        self._calls = Drafts()
        self._usage = Usage()
        self._finish = ""
        self._refused = False
        self._spoke = False
        self._begun = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Read an event of the stream."""
        if data.startswith(END):
            self.over = True
            return ()
        return self._read(self._parsed(data), "delta")

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Read an answer that came whole."""
        self.over = True
        return self._read(self._parsed(data), "message") or ()

    def ending(self) -> Sequence[Chunk]:
        """Return the tool calls and Done; raises ProviderUnavailableError when the answer was cut off."""
        if not (self._finish or self._begun) and self.over:
            raise self._server.empty()
        if not self._finish or self._finish in BROKEN:
            why = f" with the reason {self._finish!r}" if self._finish else ""
            raise self._server.unavailable(f"ended its response early{why}; none of it was used.")
        stop = FinishReason.REFUSED if self._refused else STOPS.get(self._finish, FinishReason.END)
        if stop in (FinishReason.LENGTH, FinishReason.REFUSED):
            return (StreamEnd(self._usage, stop),)
        calls, asks = self._calls.read(), stop is FinishReason.TOOLS
        return concluded(self._server, calls, self._usage, said=self._spoke, asks=asks)

    def _parsed(self, data: str | bytes) -> dict[str, Json]:
        frame = parsed(data, self._server)
        if frame.get("error") or frame.get("object") == "error":
            raise reported(self._server, frame)
        return frame

    def _read(self, frame: dict[str, Json], key: str) -> Sequence[Chunk] | None:
        counted = frame.get("usage")
        if counted:
            self._usage = usage_of(counted)
        choice = first(frame.get("choices"))
        if choice is None or self._finish:
            return () if counted else None
        chunks = self._said(choice.get(key if key in choice else "message"))
        self._begun |= chunks is not None
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish
            return chunks or ()
        return chunks

    def _said(self, said: Json) -> Sequence[Chunk] | None:
        if not isinstance(said, dict):
            return None
        thought = next((name for name in self._thoughts if said.get(name)), "")
        pieces = (self._piece(key, value, thought) for key, value in said.items() if value)
        found = [chunks for chunks in pieces if chunks is not None]
        told = [chunk for chunks in found for chunk in chunks]
        self._spoke |= any(isinstance(chunk, Text) for chunk in told)
        return told if found else None

    def _piece(self, key: str, value: Json, thought: str) -> Sequence[Chunk] | None:
        """Read one thing that is said, ``thought`` being the name of the thoughts; None when it is nothing to us."""
        match key:
            case "content":
                return [Text(text)] if (text := words(value)) else None
            case "tool_calls":
                return buffered_calls(value) if self._calls.add(value) else None
            case "function_call":
                return buffered_function(value) if self._calls.add_sole(value) else None
            case _ if key == thought:
                return [Reasoning(text)] if (text := words(value)) else None
            case "refusal":
                self._refused = bool(words(value))
                return [Text(words(value))] if self._refused else None
        return None


def buffered_calls(calls: Json) -> list[Buffered]:
    """How much of their arguments is in the pieces of calls."""
    pieces = [piece for piece in calls if isinstance(piece, dict)] if isinstance(calls, list) else []
    return [one for piece in pieces for one in buffered_function(piece.get("function"))]


def buffered_function(function: Json) -> list[Buffered]:
    """How much of its arguments is in a piece of a call."""
    return buffered(function.get("arguments")) if isinstance(function, dict) else []


def first(choices: Json) -> dict[str, Json] | None:
    """Return the one answer that was asked for."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return None


def words(content: Json) -> str:
    """Return what is said, also when it comes as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))
