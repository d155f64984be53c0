"""Place cache points for prompt caching: which models accept them, and where.

Cache points are inserted when a turn is sent, between two blocks, so that the encoded turn itself stays identical from
request to request.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

Caching: TypeAlias = Literal["auto", "always", "never"]

CACHE_POINT = b'{"cachePoint":{"type":"default"}}'
MAX_TURN_CACHE_POINTS = 2
CLAUDE_MODELS = lazy_pattern(r"anthropic\.")
MODELS_WITHOUT_CACHING = lazy_pattern(r"claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet-20240620)")
NOVA_MODELS = lazy_pattern(r"amazon\.nova")
NON_TEXT_BLOCKS = (b'"toolResult":', b'"image":', b'"document":')


@dataclass(frozen=True, slots=True)
class CachePoints:
    """Where cache points may stand: after the system, the tools, text turns, and turns with results or images."""

    system: bool = False
    tools: bool = False
    turns: bool = False
    non_text_turns: bool = False


ALL_CACHE_POINTS = CachePoints(system=True, tools=True, turns=True, non_text_turns=True)
TEXT_CACHE_POINTS = CachePoints(system=True, turns=True)


def cache_points_for(model: str, caching: Caching) -> CachePoints:
    """Return the cache points that a model takes; Nova rejects them after tools and results."""
    if caching == "never":
        return CachePoints()
    if NOVA_MODELS.search(model):
        return TEXT_CACHE_POINTS
    able = CLAUDE_MODELS.search(model) and not MODELS_WITHOUT_CACHING.search(model)
    return ALL_CACHE_POINTS if able or caching == "always" else CachePoints()


def add_cache_points(turns: Sequence[bytes], marks: CachePoints, user: bytes) -> Sequence[bytes]:
    """Add cache points to the last user turn (which is written) and the one before (which is read from the cache)."""
    if not marks.turns:
        return turns
    able = [n for n, turn in enumerate(turns) if turn.startswith(user) and (marks.non_text_turns or is_text_only(turn))]
    last = {*able[-MAX_TURN_CACHE_POINTS:]}
    return [turn[:-2] + b"," + CACHE_POINT + turn[-2:] if n in last else turn for n, turn in enumerate(turns)]


def is_text_only(turn: bytes) -> bool:
    """Return whether a turn contains only text."""
    return not any(kind in turn for kind in NON_TEXT_BLOCKS)
