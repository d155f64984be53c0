"""Assemble the content blocks of a response from their deltas."""

from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Sequence
from dataclasses import field

from openkoi_hookspecs import Chunk, Json, Reasoning, Text, ToolCall
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import ToolCallFactory, make_buffered

from .reasoning_signatures import end_reasoning, redacted_reasoning


@dataclass(slots=True)
class ContentBlock:
    """A content block that is still arriving.

    Text and reasoning are passed on at once, tool calls and signatures when they are complete. The arguments of a
    tool call that ``is_answer`` are the answer's text.
    """

    id: str = ""
    tool: str = ""
    is_tool_call: bool = False
    is_answer: bool = False
    complete: bool = False
    has_invalid_delta: bool = False
    arguments: list[str] = field(default_factory=list)
    signature: str = ""
    redacted: bytes = b""

    def add(self, delta: dict[str, Json]) -> Sequence[Chunk] | None:
        """Add a delta; return None when it contains nothing new."""
        match delta:
            case {"text": str(text)} if text:
                return [Text(text)]
            case {"toolUse": {"input": str(piece)}} if self.is_answer:
                return [Text(piece)] if piece else None
            case {"toolUse": {"input": str(piece)}}:
                self.arguments.append(piece)
                return make_buffered(piece) or None
            case {"toolUse": {"input": piece}} if piece is not None:
                self.has_invalid_delta = True
                return ()
            case {"reasoningContent": dict(thought)}:
                return self._add_reasoning(thought)
        return None

    def _add_reasoning(self, thought: dict[str, Json]) -> Sequence[Chunk] | None:
        match thought:
            case {"text": str(text)} if text:
                return [Reasoning(text)]
            case {"signature": str(piece)} if piece:
                self.signature += piece
                return ()
            case {"redactedContent": str(piece)} if piece:
                self.redacted += decode_base64(piece)
                return ()
        return None

    @property
    def raw_arguments(self) -> Json:
        """The arguments as received, or None when a delta could not be read."""
        return None if self.has_invalid_delta else "".join(self.arguments)

    def end(self) -> Sequence[Chunk]:
        """End the block and return its signature, if any."""
        self.complete = True
        if self.signature:
            return [end_reasoning(self.signature)]
        return [redacted_reasoning(self.redacted)] if self.redacted else ()


class ConverseBlocks:
    """The content blocks of one response by index, in the order in which they began."""

    def __init__(self, answer_tool: str = "") -> None:
        self._spoken = answer_tool
        self._blocks: dict[int, ContentBlock] = {}
        self._mixed_up = False
        self.has_text = False

    def start(self, at: Json, start: Json) -> Sequence[Chunk] | None:
        """Start a block; only tool call blocks are announced."""
        match start:
            case {"toolUse": dict(use)}:
                block = start_tool_call(use)
                block.is_answer = bool(self._spoken) and block.tool == self._spoken
                block.is_tool_call = not block.is_answer
                self._mixed_up |= index_or_default(at) in self._blocks
                self._blocks[index_or_default(at)] = block
                return ()
        return None

    def add(self, at: Json, delta: Json) -> Sequence[Chunk] | None:
        """Add a delta to a block."""
        if not isinstance(delta, dict):
            return None
        block = self._blocks.setdefault(index_or_default(at), ContentBlock())
        self._mixed_up |= "toolUse" in delta and (block.complete or not (block.is_tool_call or block.is_answer))
        chunks = block.add(delta)
        self.has_text |= any(isinstance(chunk, Text) for chunk in chunks or ())
        return chunks

    def stop(self, at: Json) -> Sequence[Chunk]:
        """End a block."""
        return self._blocks.setdefault(index_or_default(at), ContentBlock()).end()

    @property
    def complete(self) -> bool:
        """Whether every tool call is complete and every delta belongs to one."""
        return not self._mixed_up and all(block.complete for block in self._blocks.values() if block.is_tool_call)

    def tool_calls(self) -> Sequence[ToolCall]:
        """Return the tool calls; one with unreadable arguments carries a parse error."""
        calls = ToolCallFactory()
        blocks = [block for block in self._blocks.values() if block.is_tool_call]
        return [calls.make(block.id, block.tool, block.raw_arguments) for block in blocks]


def start_tool_call(use: dict[str, Json]) -> ContentBlock:
    """Return a block for a tool call."""
    call_id, tool = use.get("toolUseId"), use.get("name")
    return ContentBlock(call_id if isinstance(call_id, str) else "", tool if isinstance(tool, str) else "")


def index_or_default(at: Json) -> int:
    """Return the index of a block, or 0 when it has none."""
    return at if type(at) is int else 0


def decode_base64(piece: str) -> bytes:
    """Decode base64; return no bytes when it is invalid."""
    try:
        return b64decode(piece, validate=True)
    except (NoBase64, ValueError):
        return b""
