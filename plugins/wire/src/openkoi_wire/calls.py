"""Make a tool call of what a model wrote. Knows what cannot be relied upon; knows no vendor and no schema."""

import hashlib
from uuid import uuid4

from openkoi_hookspecs import Buffered, Json, ToolCall

from .arguments import read_arguments
from .objects import shallow

SHOWN = 120


class Calls:
    """The calls of one answer, each under an id of its own.

    Where the server gives none, one is made up. With the request that was ``asked`` it is made of that, of its number
    and of what was written: another in each turn, and the same whenever the same is asked and answered.
    """

    def __init__(self, asked: bytes = b"") -> None:
        self._asked = asked
        self._taken: set[str] = set()

    def make(self, id: str, tool: str, written: Json) -> ToolCall:
        """Return a call; one whose arguments or name cannot be read carries a fault that says so to the model.

        Arguments are a text or an object; whatever else there is in their place means that they were lost.
        """
        shown = written if isinstance(written, str) else told(written)
        id = self._own(id, f"{tool} {shown}")
        arguments = read_arguments(written)
        if arguments is not None and tool:
            return ToolCall(id, tool, arguments)
        what = "arguments that cannot be read as one JSON object" if tool else "no name of a tool"
        fault = f"The call came with {what}: {shown[:SHOWN]!r}. Call it anew."
        return ToolCall(id, tool or "unnamed", {}, parse_error=fault)

    def _own(self, id: str, written: str) -> str:
        found = id if id and id not in self._taken else f"call_{self._made_up(written)[:24]}"
        self._taken.add(found)
        return found

    def _made_up(self, written: str) -> str:
        if not self._asked:
            return uuid4().hex
        told = f"{len(self._taken)} {written}".encode("utf-8", "replace")
        return hashlib.sha256(self._asked + b"\0" + told).hexdigest()


def buffered(arguments: Json) -> list[Buffered]:
    """How much of a call's arguments has arrived, long before the call is complete."""
    return [Buffered(len(told(arguments)))] if arguments else []


def told(written: Json) -> str:
    """Tell of what is no text."""
    return str(written) if shallow(written) else "(too deep)"
