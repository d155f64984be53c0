"""What of that which was found is told: the best first, within the limit and the tokens. Knows no database.

Between equals what not to do comes first, then what to do, then past tasks, then what was said; then the newer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Hit, MemoryItem, Query

from .shelves import TRANSCRIPT

CHARACTERS_PER_TOKEN = 4
RELEVANT = 0.05
UNASKED = 4
FIRST = ("anti_pattern", "skill", "procedure", "heuristic", "preference", "fact", "task", TRANSCRIPT)


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document that has to do with the question; ``text`` is the memo as it was written down, ``doc`` its number,
    where it has one, and ``near`` the cosine of what both mean, where that is known."""

    score: float
    moment: str
    id: str
    kind: str
    learned: bool
    text: str
    doc: int = -1
    near: float = 0.0


def in_order(found: Iterable[FoundDocument]) -> list[FoundDocument]:
    """The best first; of equals what matters more, then the newer."""
    ordered = sorted(found, key=lambda one: one.id)
    ordered.sort(key=lambda one: one.moment, reverse=True)
    ordered.sort(key=lambda one: (-one.score, place_of(one.kind)))
    return ordered


def place_of(kind: str) -> int:
    """Where a kind stands between equals."""
    return FIRST.index(kind) if kind in FIRST else len(FIRST)


def fitting(found: Sequence[FoundDocument], query: Query, read: Callable[[FoundDocument], MemoryItem]) -> list[Hit]:
    """Keep what is relevant and fits the limit and the tokens; one that is too long leaves its room to the next.

    Relevance goes from 0 to that of the best, 1. Who does not ask for transcripts gets few pieces of them, but one at
    least, in the first half of the room.
    """
    hits: list[Hit] = []
    left, said = query.tokens, 0
    for one in found:
        if one.score < RELEVANT * found[0].score or len(hits) >= query.limit:
            break
        memo = read(one)
        size = -(-len(memo.text) // CHARACTERS_PER_TOKEN)
        unasked = one.kind == TRANSCRIPT and not query.kinds
        if unasked and (said >= max(1, query.limit // UNASKED) or query.tokens - left + size > query.tokens / 2):
            continue
        if size <= left:
            hits.append(Hit(memo, one.score / found[0].score, similarity=max(0.0, one.near)))
            left -= size
            said += unasked
    return hits
