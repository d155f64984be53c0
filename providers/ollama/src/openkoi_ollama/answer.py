"""Make sense of an answer of Ollama, a JSON document a line or whole.

Knows the format; knows no connection. Nothing is acted upon that did not arrive in full.
"""

from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, Reasoning, StreamEnd, Text, ToolCall, Usage
from openkoi_wire import Calls, Server, buffered, concluded, count, parsed, reported

BROKEN = frozenset({"load", "unload"})


class Answer:
    """One answer. ``ending`` is asked for when nothing more comes."""

    def __init__(self, server: Server) -> None:
        self.over = False
        self.usage = Usage()
        self._server = server
        self._asked: list[Mapping[str, Json]] = []
        self._reason = ""
        self._said = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Read a line of the stream."""
        return self._read(parsed(data, self._server))

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Read an answer that came whole."""
        return self._read(parsed(data, self._server)) or ()

    def ending(self) -> Sequence[Chunk]:
        """Return the tool calls and Done; raises ProviderUnavailableError when the answer was cut off."""
        if not self.over:
            raise self._server.unavailable("ended its response early; none of it was used.")
        if self._reason in BROKEN:
            raise self._server.unavailable(
                f"did not answer: it said {self._reason!r}, which is about the model itself."
            )
        if self._reason == "length":
            return (StreamEnd(self.usage, FinishReason.LENGTH),)
        calls = Calls()
        made = [made_of(asked, calls) for asked in self._asked]
        return concluded(self._server, made, self.usage, said=self._said, asks=self._reason == "tool_calls")

    def _read(self, frame: dict[str, Json]) -> Sequence[Chunk] | None:
        if frame.get("error"):
            raise reported(self._server, frame)
        message, done = frame.get("message"), frame.get("done") is True
        if done:
            self.over = True
            self._end(frame)
        if not isinstance(message, dict):
            return () if done else None
        asked = message.get("tool_calls")
        calls = [call for call in asked if isinstance(call, dict)] if isinstance(asked, list) else []
        self._asked += calls
        chunks = said(message)
        self._said |= any(isinstance(chunk, Text) for chunk in chunks)
        return [*chunks, *(one for call in calls for one in buffered(call.get("function")))]

    def _end(self, frame: Mapping[str, Json]) -> None:
        reason = frame.get("done_reason")
        self._reason = reason if isinstance(reason, str) else ""
        self.usage = Usage(input=count(frame.get("prompt_eval_count")), output=count(frame.get("eval_count")))


def said(message: Mapping[str, Json]) -> Sequence[Chunk]:
    """Read what is thought and said in a piece of the answer."""
    thought, text = message.get("thinking"), message.get("content")
    thoughts = [Reasoning(thought)] if isinstance(thought, str) and thought else []
    return [*thoughts, Text(text)] if isinstance(text, str) and text else thoughts


def made_of(asked: Mapping[str, Json], calls: Calls) -> ToolCall:
    """Make a call. Its arguments are an object; older servers gave no id."""
    id, function = asked.get("id"), asked.get("function")
    given = function if isinstance(function, dict) else {}
    name, arguments = given.get("name"), given.get("arguments")
    written = {} if arguments is None else arguments
    return calls.make(id if isinstance(id, str) else "", name if isinstance(name, str) else "", written)
