"""Assemble tool calls from their deltas, whose indexes some servers mix up."""

from collections.abc import Sequence
from dataclasses import field

from openkoi_hookspecs import Json, ToolCall
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import ToolCallFactory


@dataclass(slots=True)
class PartialToolCall:
    """A tool call whose arguments are still arriving."""

    id: str = ""
    tool: str = ""
    pieces: list[Json] = field(default_factory=list)

    @property
    def raw_arguments(self) -> Json:
        """The arguments as received, as text or one object; None for a mixture."""
        pieces = [piece for piece in self.pieces if piece not in ("", {})] or self.pieces[:1]
        if all(isinstance(piece, str) for piece in pieces):
            return "".join(map(str, pieces))
        return pieces[0] if len(pieces) == 1 else None

    def add(self, function: Json) -> None:
        """Add a delta; some servers repeat the whole name in each."""
        if not isinstance(function, dict):
            return
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and name != self.tool:
            self.tool += name
        if arguments is not None:
            self.pieces.append(arguments)


class PartialToolCalls:
    """The tool calls of one response, in the order in which they began."""

    def __init__(self) -> None:
        self._drafts: list[PartialToolCall] = []
        self._at: dict[int, PartialToolCall] = {}
        self._sole: list[PartialToolCall] = []

    def add(self, pieces: Json) -> bool:
        """Add the deltas of one event; return whether there were any."""
        if not isinstance(pieces, list):
            return False
        for position, piece in enumerate(pieces):
            if isinstance(piece, dict):
                self._add(piece, position)
        return bool(pieces)

    def add_function_call(self, piece: Json) -> bool:
        """Add a delta of the legacy ``function_call``, which counts only when there are no ``tool_calls``."""
        if not isinstance(piece, dict):
            return False
        self._sole = self._sole or [PartialToolCall()]
        self._sole[0].add(piece)
        return True

    def finish(self) -> Sequence[ToolCall]:
        """Return the calls, each with its own id; one with unreadable arguments carries a parse error."""
        calls = ToolCallFactory()
        return [calls.make(draft.id, draft.tool, draft.raw_arguments) for draft in self._drafts or self._sole]

    def _add(self, piece: dict[str, Json], position: int) -> None:
        call_id, index = piece.get("id"), piece.get("index")
        draft = self._find_call(
            index if type(index) is int else None, call_id if isinstance(call_id, str) else "", position
        )
        draft.add(piece.get("function"))

    def _find_call(self, index: int | None, call_id: str, position: int) -> PartialToolCall:
        """Return the call that a delta belongs to; a different id is a different call, whatever its index."""
        found = self._at.get(position if index is None else index)
        if found is None or (call_id and found.id and call_id != found.id):
            found = PartialToolCall(call_id)
            self._drafts.append(found)
            self._at[position if index is None else index] = found
        found.id = found.id or call_id
        return found
