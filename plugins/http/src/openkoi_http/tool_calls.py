"""Build tool calls from a model's output, and reject unreliable ones."""

import hashlib
from uuid import uuid4

from openkoi_hookspecs import Buffered, Json, ToolCall

from .arguments import parse_arguments
from .json_objects import is_shallow

MAX_QUOTED_CHARACTERS = 120


class ToolCallFactory:
    """Build the tool calls of one response, each with a unique id.

    An id is generated when the server sends none. With the ``request``, generated ids are deterministic: they depend on
    the request, the call's position and its content.
    """

    def __init__(self, request: bytes = b"") -> None:
        self._asked = request
        self._taken: set[str] = set()

    def make(self, call_id: str, tool: str, written: Json) -> ToolCall:
        """Return a call; unreadable arguments or a missing name become a parse error for the model.

        Arguments are text or an object; anything else means that they were lost.
        """
        fragment = written if isinstance(written, str) else to_text(written)
        call_id = self._unique_id(call_id, f"{tool} {fragment}")
        arguments = parse_arguments(written)
        if arguments is not None and tool:
            return ToolCall(call_id, tool, arguments)
        what = "arguments that are not a valid JSON object" if tool else "no tool name"
        quoted = f": {fragment[:MAX_QUOTED_CHARACTERS]!r}" if fragment else ""
        fault = f"The call had {what}{quoted}. Send it again."
        return ToolCall(call_id, tool or "unnamed", {}, parse_error=fault)

    def _unique_id(self, call_id: str, written: str) -> str:
        found = call_id if call_id and call_id not in self._taken else f"call_{self._generated_id(written)[:24]}"
        self._taken.add(found)
        return found

    def _generated_id(self, written: str) -> str:
        if not self._asked:
            return uuid4().hex
        content = f"{len(self._taken)} {written}".encode("utf-8", "replace")
        return hashlib.sha256(self._asked + b"\0" + content).hexdigest()


def make_buffered(arguments: Json) -> list[Buffered]:
    """Return how much of a call's arguments has arrived."""
    return [Buffered(len(to_text(arguments)))] if arguments else []


def to_text(written: Json) -> str:
    """Return a value as text, if it is not nested too deeply."""
    return str(written) if is_shallow(written) else "(too deep)"
