"""Put the blocks of an answer together from the pieces they come in. Acts on nothing.

Words and thoughts are told as they come, until a tool is asked for: what follows waits for the end, as the calls do, so
that everything keeps its order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Chunk, Json, Reasoning, Text
from openkoi_wire import Calls, buffered

from .seals import KINDS, redacted


@dataclass(slots=True)
class Draft:
    """A tool call in the making."""

    id: str
    tool: str
    input: Json
    pieces: list[str] = field(default_factory=list)
    lost: bool = False

    @property
    def written(self) -> Json:
        """The arguments as they came: in pieces, or all at once; None when a part of them cannot be read."""
        text = "".join(self.pieces)
        if self.lost:
            return None
        return text if text.strip() or self.input is None else self.input


class Blocks:
    """The blocks of one answer. ``mixed_up``: it cannot be told which piece belongs to which call;
    ``said``: there were words; ``begun``: there was anything.
    """

    def __init__(self) -> None:
        self._waiting: list[Text | Reasoning | Draft] = []
        self._drafts: dict[int, Draft] = {}
        self.mixed_up = False
        self.said = False
        self.begun = False

    def begin(self, index: Json, block: Json) -> Sequence[Chunk] | None:
        """A block begins; None when it is of a kind that is nothing to us."""
        if not isinstance(block, dict):
            return None
        self.begun = True
        kind = words(block.get("type"))
        if kind in KINDS:
            return self._tell(*thoughts(block))
        if kind == "text":
            text = words(block.get("text"))
            return self._tell(Text(text)) if text else ()
        if kind == "tool_use":
            draft = Draft(words(block.get("id")), words(block.get("name")), block.get("input"))
            self.mixed_up |= number(index) in self._drafts
            self._drafts[number(index)] = draft
            self._waiting.append(draft)
            return ()
        return None

    def add(self, index: Json, delta: Json) -> Sequence[Chunk] | None:
        """A piece of a block; None when there was nothing new in it."""
        if not isinstance(delta, dict):
            return None
        match delta:
            case {"type": "text_delta", "text": str(text)} if text:
                return self._tell(Text(text))
            case {"type": "thinking_delta", "thinking": str(text)} if text:
                return self._tell(Reasoning(text))
            case {"type": "signature_delta", "signature": str(signature)} if signature:
                return self._tell(Reasoning("", signature=signature))
            case {"type": "input_json_delta", "partial_json": piece} if piece:
                self._write(index, piece)
                return buffered(piece)
        return None

    def end(self, index: Json) -> None:
        """A block ends: what comes under its number is another's."""
        self._drafts.pop(number(index), None)

    def _write(self, index: Json, piece: Json) -> None:
        draft = self._drafts.get(number(index))
        if draft is None:
            self.mixed_up = True
        elif isinstance(piece, str):
            draft.pieces.append(piece)
        else:
            draft.lost = True

    def rest(self, *, calls: bool) -> Iterator[Chunk]:
        """What has waited for the end, in order; ``calls`` are left out of an answer that stopped short."""
        made = Calls()
        for item in self._waiting:
            if not isinstance(item, Draft):
                yield item
            elif calls:
                yield made.make(item.id, item.tool, item.written)

    def _tell(self, *chunks: Text | Reasoning) -> Sequence[Chunk]:
        self.said |= any(isinstance(chunk, Text) for chunk in chunks)
        if not self._waiting:
            return chunks
        self._waiting += chunks
        return [one for chunk in chunks for one in buffered(chunk.text)]


def thoughts(block: dict[str, Json]) -> list[Reasoning]:
    """Read what a thought begins with: one that is not told comes whole."""
    if block.get("type") == "redacted_thinking":
        return [redacted(words(block.get("data")))]
    text, signature = words(block.get("thinking")), words(block.get("signature"))
    return ([Reasoning(text)] if text else []) + ([Reasoning("", signature=signature)] if signature else [])


def words(value: Json) -> str:
    """Return what is a text, or nothing."""
    return value if isinstance(value, str) else ""


def number(index: Json) -> int:
    """Return the number of a block, or that of those which have none."""
    return index if type(index) is int else -1
