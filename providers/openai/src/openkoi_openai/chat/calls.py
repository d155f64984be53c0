"""Put tool calls together from the pieces they come in. Knows how servers mix up their numbering; acts on nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Json, ToolCall
from openkoi_wire import Calls


@dataclass(slots=True)
class Draft:
    """A tool call in the making."""

    id: str = ""
    tool: str = ""
    pieces: list[Json] = field(default_factory=list)

    @property
    def written(self) -> Json:
        """The arguments as they came: in pieces, or as one object; None when there is more than that."""
        pieces = [piece for piece in self.pieces if piece not in ("", {})] or self.pieces[:1]
        if all(isinstance(piece, str) for piece in pieces):
            return "".join(map(str, pieces))
        return pieces[0] if len(pieces) == 1 else None

    def add(self, function: Json) -> None:
        """Take a piece; servers that send the whole of the name each time are understood."""
        if not isinstance(function, dict):
            return
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and name != self.tool:
            self.tool += name
        if arguments is not None:
            self.pieces.append(arguments)


class Drafts:
    """The tool calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._drafts: list[Draft] = []
        self._at: dict[int, Draft] = {}
        self._sole: list[Draft] = []

    def add(self, pieces: Json) -> bool:
        """Take the pieces of one event; tell whether there were any."""
        if not isinstance(pieces, list):
            return False
        for position, piece in enumerate(pieces):
            if isinstance(piece, dict):
                self._add(piece, position)
        return bool(pieces)

    def add_sole(self, piece: Json) -> bool:
        """Take a piece of the one call of servers that know no lists of them; it counts where there is no list."""
        if not isinstance(piece, dict):
            return False
        self._sole = self._sole or [Draft()]
        self._sole[0].add(piece)
        return True

    def read(self) -> Sequence[ToolCall]:
        """Return the calls, each under an id of its own; those that cannot be read say so."""
        calls = Calls()
        return [calls.make(draft.id, draft.tool, draft.written) for draft in self._drafts or self._sole]

    def _add(self, piece: dict[str, Json], position: int) -> None:
        id, index = piece.get("id"), piece.get("index")
        draft = self._draft(index if type(index) is int else None, id if isinstance(id, str) else "", position)
        draft.add(piece.get("function"))

    def _draft(self, index: int | None, id: str, position: int) -> Draft:
        """Find the call a piece belongs to. Another id is another call, whatever its number says."""
        found = self._at.get(position if index is None else index)
        if found is None or (id and found.id and id != found.id):
            found = Draft(id)
            self._drafts.append(found)
            self._at[position if index is None else index] = found
        found.id = found.id or id
        return found
