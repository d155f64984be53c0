"""Make sense of an answer of the Messages API, as it streams in or whole.

Knows the format's events. Nothing is acted upon that did not arrive in full.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, StreamEnd
from openkoi_wire import Server, concluded, parsed

from .blocks import Blocks
from .refusals import complaint
from .usage import counts, usage_of

STOPS = {
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.REFUSED,
}


class Answer:
    """One answer. ``ending`` is asked for when nothing more comes."""

    def __init__(self, server: Server) -> None:
        self.over = False
        self._server = server
        self._blocks = Blocks()
        self._counts: dict[str, int] = {}
        self._finish = ""

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Read an event of the stream; one of a kind that is not known only keeps the connection alive."""
        frame = self._parsed(data)
        match frame.get("type"):
            case "message_start":
                self._note(frame.get("message"))
                return ()
            case "content_block_start":
                return self._blocks.begin(frame.get("index"), frame.get("content_block"))
            case "content_block_delta":
                return self._blocks.add(frame.get("index"), frame.get("delta"))
            case "content_block_stop":
                self._blocks.end(frame.get("index"))
                return ()
            case "message_delta":
                self._note(frame)
                self._note(frame.get("delta"))
                return ()
            case "message_stop":
                self.over = True
                return ()
        return None

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Read an answer that came whole."""
        frame = self._parsed(data)
        content = frame.get("content") or []
        if not isinstance(content, list):
            raise self._server.unavailable("answered with something that is no message.")
        self._note(frame)
        self.over = True
        begun = [self._blocks.begin(index, block) for index, block in enumerate(content)]
        return [chunk for chunks in begun for chunk in chunks or ()]

    def ending(self) -> Sequence[Chunk]:
        """Return the tool calls and Done; raises ProviderUnavailableError when the answer was cut off."""
        if self.over and not self._finish and not self._blocks.begun:
            raise self._server.empty()
        if not self.over or not self._finish or self._blocks.mixed_up:
            why = ": it mixed up the pieces of its tool calls" if self._blocks.mixed_up else ""
            raise self._server.unavailable(f"broke off its answer{why}; nothing in it was acted upon.")
        stop, usage = STOPS.get(self._finish, FinishReason.END), usage_of(self._counts)
        rest = list(self._blocks.rest(calls=stop is FinishReason.END))
        if stop is not FinishReason.END:
            return (*rest, StreamEnd(usage, stop))
        return concluded(self._server, rest, usage, said=self._blocks.said, asks=self._finish == "tool_use")

    def _parsed(self, data: str | bytes) -> dict[str, Json]:
        frame = parsed(data, self._server)
        if frame.get("error") or frame.get("type") == "error":
            raise complaint(self._server, frame)
        return frame

    def _note(self, said: Json) -> None:
        """Note what an event says of the whole answer."""
        if not isinstance(said, dict):
            return
        self._counts |= counts(said.get("usage"))
        finish = said.get("stop_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish
