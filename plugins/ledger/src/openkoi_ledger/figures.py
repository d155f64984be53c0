"""The figures of an entry, from what the log says happened with it: the one source of the table, the export and pages.

Knows the ledger as it stands; writes nothing.
"""

from openkoi_hookspecs import Learning

from .book import Book
from .credit import counts, utility
from .decay import USUAL, Decay, expiry
from .entry import Entry, learning_of


def counted(book: Book, entry: Entry, decay: Decay = USUAL) -> Learning:
    """An entry as everyone knows it, with its figures as of now; it fades like this."""
    uses, since = book.uses(entry.id), book.helped(entry)
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


def outdated(saved: Learning, now: Learning) -> bool:
    """Whether what was saved last has other figures than those that the log now gives."""
    return figures(saved) != figures(now)


def figures(learning: Learning) -> tuple[object, ...]:
    """What is counted of a learning, or follows from it."""
    return (
        *(learning.shown, learning.helpful, learning.harmful, learning.confidence),
        *(learning.last_used, learning.expires_at, learning.standing, learning.quoted),
    )
