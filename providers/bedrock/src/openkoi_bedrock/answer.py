"""Make sense of an answer of ConverseStream. Nothing is acted upon that did not arrive in full."""

from collections.abc import Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, StreamEnd, Usage
from openkoi_wire import Server, concluded, parsed, reported

from .blocks import Blocks
from .failures import in_mid_stream
from .frames import ERROR, EXCEPTION, KIND, MESSAGE
from .usage import usage_of

STOPS = {
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "guardrail_intervened": FinishReason.REFUSED,
    "content_filtered": FinishReason.REFUSED,
}
BROKEN = frozenset({"malformed_model_output", "malformed_tool_use"})


class Answer:
    """One answer. ``ending`` is asked for when nothing more comes. What it cost is told after it has ended.

    ``spoken`` names the tool whose arguments are the answer.
    """

    def __init__(self, server: Server, spoken: str = "") -> None:
        self.over = False
        self._server = server
        self._spoken = spoken
        self._blocks = Blocks(spoken)
        self._usage = Usage()
        self._reason = ""

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Read an event of the stream."""
        frame = parsed(data, self._server)
        headers, payload = frame.get("headers"), frame.get("payload")
        names = headers if isinstance(headers, dict) else {}
        said = payload if isinstance(payload, dict) else {}
        if EXCEPTION in names or ERROR in names:
            kind = str(names.get(EXCEPTION) or names.get(ERROR))
            raise in_mid_stream(self._server, kind, said.get("message") or names.get(MESSAGE))
        return self._read(names.get(KIND), said)

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Read what came in place of a stream: it can only be an error."""
        raise reported(self._server, parsed(data, self._server))

    def ending(self, waiting: int = 0) -> Sequence[Chunk]:
        """Return the tool calls and Done.

        Raises ProviderUnavailableError when the answer was cut off, ``waiting`` bytes after.
        """
        if not self._reason or self._reason in BROKEN or (waiting and not self.over):
            why = f" with the reason {self._reason!r}" if self._reason in BROKEN else ""
            raise self._server.unavailable(f"ended its response early{why}; none of it was used.")
        stop = STOPS.get(self._reason, FinishReason.END)
        if stop is not FinishReason.END:
            return (StreamEnd(self._usage, stop),)
        if not self._blocks.complete:
            raise self._server.unavailable("broke off a tool call; none of its response was used.")
        said, asks = self._blocks.said, self._reason == "tool_use" and not self._spoken
        return concluded(self._server, self._blocks.calls(), self._usage, said=said, asks=asks)

    def _read(self, kind: Json, said: dict[str, Json]) -> Sequence[Chunk] | None:
        if kind == "metadata":
            self._usage = usage_of(said.get("usage"))
            self.over = bool(self._reason)
            return ()
        if self._reason:
            return None
        at = said.get("contentBlockIndex")
        match kind:
            case "contentBlockStart":
                return self._blocks.start(at, said.get("start"))
            case "contentBlockDelta":
                return self._blocks.add(at, said.get("delta"))
            case "contentBlockStop":
                return self._blocks.stop(at)
            case "messageStop":
                reason = said.get("stopReason")
                self._reason = reason if isinstance(reason, str) and reason else "end_turn"
                return ()
        return None
