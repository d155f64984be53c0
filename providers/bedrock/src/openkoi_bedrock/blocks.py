"""Put the blocks of an answer together from their pieces. Knows what comes at once and what when it is whole."""

from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Chunk, Json, Reasoning, Text, ToolCall
from openkoi_wire import Calls, buffered

from .seals import redacted, signed


@dataclass(slots=True)
class Block:
    """A block in the making: words and thoughts are passed on at once, calls and seals when they are complete.

    A call that is ``spoken`` is the answer itself: its arguments are the words.
    """

    id: str = ""
    tool: str = ""
    calls: bool = False
    spoken: bool = False
    complete: bool = False
    lost: bool = False
    arguments: list[str] = field(default_factory=list)
    signature: str = ""
    redacted: bytes = b""

    def add(self, delta: dict[str, Json]) -> Sequence[Chunk] | None:
        """Take a piece; None when there was nothing in it for us."""
        match delta:
            case {"text": str(text)} if text:
                return [Text(text)]
            case {"toolUse": {"input": str(piece)}} if self.spoken:
                return [Text(piece)] if piece else None
            case {"toolUse": {"input": str(piece)}}:
                self.arguments.append(piece)
                return buffered(piece) or None
            case {"toolUse": {"input": piece}} if piece is not None:
                self.lost = True
                return ()
            case {"reasoningContent": dict(thought)}:
                return self._think(thought)
        return None

    def _think(self, thought: dict[str, Json]) -> Sequence[Chunk] | None:
        match thought:
            case {"text": str(text)} if text:
                return [Reasoning(text)]
            case {"signature": str(piece)} if piece:
                self.signature += piece
                return ()
            case {"redactedContent": str(piece)} if piece:
                self.redacted += decoded(piece)
                return ()
        return None

    @property
    def written(self) -> Json:
        """The arguments as they came; None when a part of them cannot be read."""
        return None if self.lost else "".join(self.arguments)

    def end(self) -> Sequence[Chunk]:
        """End it; a thought is sealed now."""
        self.complete = True
        if self.signature:
            return [signed(self.signature)]
        return [redacted(self.redacted)] if self.redacted else ()


class Blocks:
    """The blocks of one answer by their numbers, in the order in which they began; calls of ``spoken`` are words."""

    def __init__(self, spoken: str = "") -> None:
        self._spoken = spoken
        self._blocks: dict[int, Block] = {}
        self._mixed_up = False
        self.said = False

    def start(self, at: Json, start: Json) -> Sequence[Chunk] | None:
        """Begin a block; only one that calls a tool says what it is."""
        match start:
            case {"toolUse": dict(use)}:
                block = begun(use)
                block.spoken = bool(self._spoken) and block.tool == self._spoken
                block.calls = not block.spoken
                self._mixed_up |= number(at) in self._blocks
                self._blocks[number(at)] = block
                return ()
        return None

    def add(self, at: Json, delta: Json) -> Sequence[Chunk] | None:
        """Take a piece of a block."""
        if not isinstance(delta, dict):
            return None
        block = self._blocks.setdefault(number(at), Block())
        self._mixed_up |= "toolUse" in delta and (block.complete or not (block.calls or block.spoken))
        chunks = block.add(delta)
        self.said |= any(isinstance(chunk, Text) for chunk in chunks or ())
        return chunks

    def stop(self, at: Json) -> Sequence[Chunk]:
        """End a block."""
        return self._blocks.setdefault(number(at), Block()).end()

    @property
    def complete(self) -> bool:
        """Whether every tool call came to its end, and no piece of one has gone astray."""
        return not self._mixed_up and all(block.complete for block in self._blocks.values() if block.calls)

    def calls(self) -> Sequence[ToolCall]:
        """Return the tool calls; those that cannot be read say so."""
        calls = Calls()
        asked = [block for block in self._blocks.values() if block.calls]
        return [calls.make(block.id, block.tool, block.written) for block in asked]


def begun(use: dict[str, Json]) -> Block:
    """Begin the call of a tool."""
    id, tool = use.get("toolUseId"), use.get("name")
    return Block(id if isinstance(id, str) else "", tool if isinstance(tool, str) else "")


def number(at: Json) -> int:
    """Return the number of a block."""
    return at if type(at) is int else 0


def decoded(piece: str) -> bytes:
    """Read bytes as JSON carries them; what is none is nothing."""
    try:
        return b64decode(piece, validate=True)
    except (NoBase64, ValueError):
        return b""
