"""Put tool calls together from the pieces they come in. Knows how servers mix up their numbering; acts on nothing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Json, ToolCall
from openkoi_wire import Calls


@dataclass(slots=True)
class Draft:
    """A tool call in the making."""

    id: str = ""
    tool: str = ""
    pieces: list[str] = field(default_factory=list)

    def add_name(self, name: str) -> None:
        """Take a piece of the name; servers that send the whole of it each time are understood."""
        if name != self.tool:
            self.tool += name


class Drafts:
    """The tool calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._drafts: list[Draft] = []
        self._at: dict[int, Draft] = {}

    def add(self, pieces: Json) -> bool:
        """Take the pieces of one event; tell whether there were any."""
        if not isinstance(pieces, list):
            return False
        for position, piece in enumerate(pieces):
            if isinstance(piece, dict):
                self._add(piece, position)
        return bool(pieces)

    def read(self) -> Sequence[ToolCall]:
        """Return the calls, each under an id of its own; those that cannot be read say so."""
        calls = Calls()
        return [calls.make(draft.id, draft.tool, "".join(draft.pieces)) for draft in self._drafts]

    def _add(self, piece: dict[str, Json], position: int) -> None:
        id, index = piece.get("id"), piece.get("index")
        draft = self._draft(index if type(index) is int else None, id if isinstance(id, str) else "", position)
        function = piece.get("function")
        if not isinstance(function, dict):
            return
        name, arguments = function.get("name"), function.get("arguments")
        draft.add_name(name if isinstance(name, str) else "")
        if arguments is not None:
            draft.pieces.append(arguments if isinstance(arguments, str) else json.dumps(arguments))

    def _draft(self, index: int | None, id: str, position: int) -> Draft:
        """Find the call a piece belongs to. Another id is another call, whatever its number says."""
        found = self._at.get(position if index is None else index)
        if found is None or (id and found.id and id != found.id):
            found = Draft(id)
            self._drafts.append(found)
            self._at[position if index is None else index] = found
        found.id = found.id or id
        return found
