"""Count the tokens of a request as Anthropic does: what was cached before, what is cached now, and the rest.

A prefix is cached up to each mark. A mark finds what an earlier request cached up to twenty blocks before it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate

from openkoi_hookspecs import Usage

from .anthropic_blocks import THOUGHTS, Block, blocks_in, texts_in

BYTES = 4
LOOKBACK = 20


@dataclass(frozen=True, slots=True)
class Piece:
    """One block of a request, all that it depends on, and whether what ends with it is, or can be, cached."""

    written: bytes
    size: int
    marked: bool
    markable: bool


class Cache:
    """The prefixes that were cached so far; those of fewer than ``least`` tokens never are."""

    def __init__(self, least: int = 0) -> None:
        self._least = least
        self._known: set[bytes] = set()

    def count(self, body: Block) -> Usage:
        """Count a request and cache what it marks."""
        pieces = pieces_of(body)
        sizes, names = tokens(pieces), prefixes(pieces)
        marks = [at for at, piece in enumerate(pieces) if piece.marked and sizes[at] >= self._least]
        if not marks:
            return Usage(input=sizes[-1])
        found = max((at for mark in marks for at in self._before(mark, names)), default=-1)
        read = sizes[found] if found >= 0 else 0
        self._known |= {names[mark] for mark in marks}
        cached = sizes[marks[-1]]
        return Usage(input=sizes[-1] - cached, cache_read=read, cache_write=cached - read)

    def _before(self, mark: int, names: Sequence[bytes]) -> Iterator[int]:
        return (at for at in range(max(0, mark - LOOKBACK + 1), mark + 1) if names[at] in self._known)


def tokens_in(body: Block) -> int:
    """Count a whole request."""
    return tokens(pieces_of(body))[-1]


def tokens(pieces: Sequence[Piece]) -> list[int]:
    """The tokens up to the end of each piece."""
    return [size // BYTES for size in accumulate(piece.size for piece in pieces)]


def prefixes(pieces: Sequence[Piece]) -> list[bytes]:
    """A name for what ends with each piece: any change before it makes another."""
    return list(accumulate((piece.written for piece in pieces), lambda before, now: sha256(before + now).digest()))


def pieces_of(body: Block) -> list[Piece]:
    """All blocks in the order in which they are read: tools, system, messages."""
    steady = [*blocks_in(body.get("tools")), *texts_in(body.get("system"))]
    how = json.dumps([body.get("model"), body.get("thinking"), body.get("tool_choice")])
    pieces = [piece(block, "") for block in steady]
    for message in blocks_in(body.get("messages")):
        pieces += [piece(block, f"{how}{message.get('role')}") for block in texts_in(message.get("content"))]
    if body.get("cache_control"):
        last = max(at for at, one in enumerate(pieces) if one.markable)
        pieces[last] = replace(pieces[last], marked=True)
    return pieces


def piece(block: Block, depends: str) -> Piece:
    """One block, known by all in it but its mark."""
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    written = json.dumps(bare, ensure_ascii=False).encode()
    return Piece(
        depends.encode() + written, len(written), bool(block.get("cache_control")), bare.get("type") not in THOUGHTS
    )
