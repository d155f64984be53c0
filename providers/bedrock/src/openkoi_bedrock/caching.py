"""Where the cache is marked. Knows which models can be marked and where; writes no messages.

A mark moves on as the conversation grows, and is not part of what it marks: it stands between two blocks, is put in
when a turn is sent, and what was written of the turn stays as it is, byte for byte.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Caching: TypeAlias = Literal["auto", "always", "never"]

POINT = b'{"cachePoint":{"type":"default"}}'
MOVING = 2
CLAUDE = re.compile(r"anthropic\.")
TOO_OLD = re.compile(r"claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet-20240620)")
NOVA = re.compile(r"amazon\.nova")
NOT_WORDS = (b'"toolResult":', b'"image":', b'"document":')


@dataclass(frozen=True, slots=True)
class Marks:
    """What may be marked: the end of the system, of the tools, of turns, of turns with more in them than words."""

    system: bool = False
    tools: bool = False
    turns: bool = False
    results: bool = False


ALL = Marks(system=True, tools=True, turns=True, results=True)
WORDS_ONLY = Marks(system=True, turns=True)


def marks_for(model: str, caching: Caching) -> Marks:
    """Decide what is marked for a model; Nova refuses a mark after a tool or a result."""
    if caching == "never":
        return Marks()
    if NOVA.search(model):
        return WORDS_ONLY
    able = CLAUDE.search(model) and not TOO_OLD.search(model)
    return ALL if able or caching == "always" else Marks()


def marked(turns: Sequence[bytes], marks: Marks, user: bytes) -> Sequence[bytes]:
    """Mark the last user's turn, which is written, and the one before, which is read from the cache."""
    if not marks.turns:
        return turns
    able = [n for n, turn in enumerate(turns) if turn.startswith(user) and (marks.results or words_only(turn))]
    last = {*able[-MOVING:]}
    return [turn[:-2] + b"," + POINT + turn[-2:] if n in last else turn for n, turn in enumerate(turns)]


def words_only(turn: bytes) -> bool:
    """Whether a turn holds nothing but words."""
    return not any(kind in turn for kind in NOT_WORDS)
