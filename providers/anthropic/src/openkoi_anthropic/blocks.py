"""Assemble the content blocks of a response from their deltas.

Text and reasoning are passed on at once until the first tool call; later ones wait for the end, so that the order is
kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field

from openkoi_hookspecs import Chunk, Json, Reasoning, Text
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import ToolCallFactory, make_buffered

from .reasoning_signatures import THINKING_TYPES, redacted_reasoning


@dataclass(slots=True)
class PartialToolCall:
    """A tool call whose arguments are still arriving."""

    id: str
    tool: str
    input: Json
    pieces: list[str] = field(default_factory=list)
    has_invalid_delta: bool = False

    @property
    def raw_arguments(self) -> Json:
        """The arguments as received, or None when a delta could not be read."""
        text = "".join(self.pieces)
        if self.has_invalid_delta:
            return None
        return text if text.strip() or self.input is None else self.input


class ContentBlocks:
    """The content blocks of one response.

    ``mixed_up`` means that a delta could not be assigned to a tool call, ``has_text``: there was text, ``has_content``:
    there was any content.
    """

    def __init__(self) -> None:
        self._waiting: list[Text | Reasoning | PartialToolCall] = []
        self._drafts: dict[int, PartialToolCall] = {}
        self.mixed_up = False
        self.has_text = False
        self.has_content = False

    def begin(self, index: Json, block: Json) -> Sequence[Chunk] | None:
        """Start a block; return None for an unknown type."""
        if not isinstance(block, dict):
            return None
        self.has_content = True
        kind = text_or_empty(block.get("type"))
        if kind in THINKING_TYPES:
            return self._emit(*parse_thinking(block))
        if kind == "text":
            text = text_or_empty(block.get("text"))
            return self._emit(Text(text)) if text else ()
        if kind == "tool_use":
            draft = PartialToolCall(
                text_or_empty(block.get("id")), text_or_empty(block.get("name")), block.get("input")
            )
            self.mixed_up |= index_or_default(index) in self._drafts
            self._drafts[index_or_default(index)] = draft
            self._waiting.append(draft)
            return ()
        return None

    def add(self, index: Json, delta: Json) -> Sequence[Chunk] | None:
        """Add a delta to a block; return None when it contains nothing new."""
        if not isinstance(delta, dict):
            return None
        match delta:
            case {"type": "text_delta", "text": str(text)} if text:
                return self._emit(Text(text))
            case {"type": "thinking_delta", "thinking": str(text)} if text:
                return self._emit(Reasoning(text))
            case {"type": "signature_delta", "signature": str(signature)} if signature:
                return self._emit(Reasoning("", signature=signature))
            case {"type": "input_json_delta", "partial_json": piece} if piece:
                self._add_arguments(index, piece)
                return make_buffered(piece)
        return None

    def end(self, index: Json) -> None:
        """End a block; a later block may reuse its index."""
        self._drafts.pop(index_or_default(index), None)

    def _add_arguments(self, index: Json, piece: Json) -> None:
        draft = self._drafts.get(index_or_default(index))
        if draft is None:
            self.mixed_up = True
        elif isinstance(piece, str):
            draft.pieces.append(piece)
        else:
            draft.has_invalid_delta = True

    def remaining_chunks(self, *, calls: bool) -> Iterator[Chunk]:
        """Yield the chunks that waited for the end, in order; include tool calls only if ``calls`` is set."""
        made = ToolCallFactory()
        for item in self._waiting:
            if not isinstance(item, PartialToolCall):
                yield item
            elif calls:
                yield made.make(item.id, item.tool, item.raw_arguments)

    def _emit(self, *chunks: Text | Reasoning) -> Sequence[Chunk]:
        self.has_text |= any(isinstance(chunk, Text) for chunk in chunks)
        if not self._waiting:
            return chunks
        self._waiting += chunks
        return [event for chunk in chunks for event in make_buffered(chunk.text)]


def parse_thinking(block: dict[str, Json]) -> list[Reasoning]:
    """Return the reasoning that a block starts with; redacted reasoning arrives complete."""
    if block.get("type") == "redacted_thinking":
        return [redacted_reasoning(text_or_empty(block.get("data")))]
    text, signature = text_or_empty(block.get("thinking")), text_or_empty(block.get("signature"))
    return ([Reasoning(text)] if text else []) + ([Reasoning("", signature=signature)] if signature else [])


def text_or_empty(value: Json) -> str:
    """Return the value if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def index_or_default(index: Json) -> int:
    """Return the index of a block, or -1 when it has none."""
    return index if type(index) is int else -1
