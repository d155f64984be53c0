"""Select the hits to return: the best first, within the limit and the tokens.

Ties are broken by kind (anti-patterns, instructions, past tasks, transcripts), then by age, newest first.
"""

from collections.abc import Callable, Iterable, Sequence

from openkoi_hookspecs import Hit, MemoryItem, Query
from openkoi_hookspecs.lazy_dataclass import dataclass

from .scopes import TRANSCRIPT

CHARACTERS_PER_TOKEN = 4
# Hits with less than a twentieth of the best score are unrelated (estimate).
MIN_RELATIVE_SCORE = 0.05
# Without a filter by kind, a quarter of the hits may be pieces of transcripts (estimate).
TRANSCRIPT_DIVISOR = 4
KIND_ORDER = ("anti_pattern", "heuristic", "preference", "fact", "task", TRANSCRIPT)


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document that matches the question.

    ``text`` is the stored memo, ``doc`` its number if it has one, ``near`` the cosine to the question if known.
    """

    score: float
    moment: str
    id: str
    kind: str
    learned: bool
    text: str
    doc: int = -1
    near: float = 0.0


def sort_documents(found: Iterable[FoundDocument]) -> list[FoundDocument]:
    """Sort hits, best first; break ties by kind, then newest first."""
    ordered = sorted(found, key=lambda hit: hit.id)
    ordered.sort(key=lambda hit: hit.moment, reverse=True)
    ordered.sort(key=lambda hit: (-hit.score, kind_rank(hit.kind)))
    return ordered


def kind_rank(kind: str) -> int:
    """Return the rank of a kind when scores tie."""
    return KIND_ORDER.index(kind) if kind in KIND_ORDER else len(KIND_ORDER)


def parse_item(found: FoundDocument) -> MemoryItem:
    """Parse the memory item of a found document."""
    import json

    from openkoi_hookspecs import Learning, Passage
    from openkoi_runlog import decode

    item: MemoryItem = decode(Learning if found.learned else Passage, json.loads(found.text))
    return item


def select_hits(
    found: Sequence[FoundDocument], query: Query, read: Callable[[FoundDocument], MemoryItem] = parse_item
) -> list[Hit]:
    """Keep hits that are relevant and fit the limit and the tokens; one that is too long is skipped.

    The best has relevance 1. Without a filter by kind, transcripts get few places, but at least one, in the first half
    of the tokens.
    """
    hits: list[Hit] = []
    left, transcripts = query.tokens, 0
    for hit in found:
        if hit.score < MIN_RELATIVE_SCORE * found[0].score or len(hits) >= query.limit:
            break
        memo = read(hit)
        size = -(-len(memo.text) // CHARACTERS_PER_TOKEN)
        capped = hit.kind == TRANSCRIPT and not query.kinds
        if capped and (
            transcripts >= max(1, query.limit // TRANSCRIPT_DIVISOR) or query.tokens - left + size > query.tokens / 2
        ):
            continue
        if size <= left:
            hits.append(Hit(memo, hit.score / found[0].score, similarity=max(0.0, hit.near)))
            left -= size
            transcripts += capped
    return hits
