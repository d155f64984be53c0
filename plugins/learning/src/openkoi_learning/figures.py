"""Compute an entry's figures from the log: the one source of the table, the export and ``openkoi learn``."""

from openkoi_hookspecs import Learning

from .decay import DEFAULT_DECAY, Decay, expires_at
from .effectiveness import count_outcomes, estimate_utility
from .entry import LearningEntry, learning_from_entry
from .state import LearningState


def to_learning(state: LearningState, entry: LearningEntry, decay: Decay = DEFAULT_DECAY) -> Learning:
    """Return an entry as a learning, with its current figures."""
    uses, since = state.outcomes(entry.id), state.last_helped(entry)
    known, worth = count_outcomes(uses), estimate_utility(uses, entry.base)
    return learning_from_entry(
        entry,
        shown=known.shown,
        helpful=known.helpful,
        harmful=known.harmful,
        confidence=round(worth, 6),
        last_used=since if known.helpful else "",
        expires_at=expires_at(worth, since, decay)
        if since and decay.fades and not (entry.pinned or entry.is_past_tasks)
        else "",
    )


def figures_differ(saved: Learning, now: Learning) -> bool:
    """Whether the figures saved last differ from those that the log gives now."""
    return counted_fields(saved) != counted_fields(now)


def counted_fields(learning: Learning) -> tuple[object, ...]:
    """Return the counted fields of a learning, and those that follow from them."""
    return (
        *(learning.shown, learning.helpful, learning.harmful, learning.confidence),
        *(learning.last_used, learning.expires_at, learning.status, learning.untrusted),
    )
