"""Count an entry's figures from the log: the one source of the table, the export and `learn`.

Knows the ledger as it stands; writes nothing.
"""

from openkoi_hookspecs import Learning

from .book import LearningState
from .credit import counts, utility
from .decay import USUAL, Decay, expiry
from .entry import LearningEntry, learning_of


def to_learning(book: LearningState, entry: LearningEntry, decay: Decay = USUAL) -> Learning:
    """Return an entry as a learning, with its current figures."""
    uses, since = book.uses(entry.id), book.last_helped(entry)
    known, worth = counts(uses), utility(uses, entry.base)
    return learning_of(
        entry,
        shown=known.shown,
        helpful=known.helpful,
        harmful=known.harmful,
        confidence=round(worth, 6),
        last_used=since if known.helpful else "",
        expires_at=expiry(worth, since, decay) if since and decay.fades and not entry.pinned else "",
    )


def figures_differ(saved: Learning, now: Learning) -> bool:
    """Whether the figures saved last differ from those that the log gives now."""
    return figures(saved) != figures(now)


def figures(learning: Learning) -> tuple[object, ...]:
    """Return what is counted of a learning, or follows from its counts."""
    return (
        *(learning.shown, learning.helpful, learning.harmful, learning.confidence),
        *(learning.last_used, learning.expires_at, learning.status, learning.untrusted),
    )
