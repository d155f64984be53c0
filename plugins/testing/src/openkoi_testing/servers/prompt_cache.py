"""Count the tokens of a request as Anthropic does: what was cached before, what is cached now, and the rest.

A prefix is cached up to each mark. A mark finds what an earlier request cached up to twenty blocks before it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate

from openkoi_hookspecs import Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

from .anthropic_blocks import THINKING_TYPES, Block, text_blocks
from .json_body import objects_in

BYTES_PER_TOKEN = 4
LOOKBACK_BLOCKS = 20


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A block of a request, everything it depends on, and whether the prefix that ends with it is or can be cached."""

    content: bytes
    size: int
    marked: bool
    markable: bool


class PromptCache:
    """The prefixes that were cached so far; those of fewer than ``least`` tokens never are."""

    def __init__(self, least: int = 0) -> None:
        self._least = least
        self._known: set[bytes] = set()

    def count_usage(self, body: Block) -> Usage:
        """Count a request and cache what it marks."""
        pieces = prompt_blocks(body)
        sizes, names = cumulative_tokens(pieces), prefix_digests(pieces)
        marks = [at for at, piece in enumerate(pieces) if piece.marked and sizes[at] >= self._least]
        if not marks:
            return Usage(input=sizes[-1])
        found = max((at for mark in marks for at in self._before(mark, names)), default=-1)
        read = sizes[found] if found >= 0 else 0
        self._known |= {names[mark] for mark in marks}
        cached = sizes[marks[-1]]
        return Usage(input=sizes[-1] - cached, cache_read=read, cache_write=cached - read)

    def _before(self, mark: int, names: Sequence[bytes]) -> Iterator[int]:
        return (at for at in range(max(0, mark - LOOKBACK_BLOCKS + 1), mark + 1) if names[at] in self._known)


def count_tokens(body: Block) -> int:
    """Count a whole request."""
    return cumulative_tokens(prompt_blocks(body))[-1]


def cumulative_tokens(pieces: Sequence[PromptBlock]) -> list[int]:
    """Return the tokens up to the end of each piece."""
    return [size // BYTES_PER_TOKEN for size in accumulate(piece.size for piece in pieces)]


def prefix_digests(pieces: Sequence[PromptBlock]) -> list[bytes]:
    """Return a digest of each prefix that ends with a block; any earlier change makes another digest."""
    return list(accumulate((piece.content for piece in pieces), lambda before, now: sha256(before + now).digest()))


def prompt_blocks(body: Block) -> list[PromptBlock]:
    """Return all blocks in the order in which they are read: tools, system, messages."""
    steady = [*objects_in(body.get("tools")), *text_blocks(body.get("system"))]
    how = json.dumps([body.get("model"), body.get("thinking"), body.get("tool_choice")])
    pieces = [build_block(block, "") for block in steady]
    for message in objects_in(body.get("messages")):
        pieces += [build_block(block, f"{how}{message.get('role')}") for block in text_blocks(message.get("content"))]
    if body.get("cache_control"):
        last = max(at for at, one in enumerate(pieces) if one.markable)
        pieces[last] = replace(pieces[last], marked=True)
    return pieces


def build_block(block: Block, depends: str) -> PromptBlock:
    """Return a block, identified by its content without the cache mark."""
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    written = json.dumps(bare, ensure_ascii=False).encode()
    return PromptBlock(
        depends.encode() + written,
        len(written),
        bool(block.get("cache_control")),
        bare.get("type") not in THINKING_TYPES,
    )
