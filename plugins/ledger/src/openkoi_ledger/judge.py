"""What becomes of the entries that a run was shown: blame, and with it probation, quarantine or rest."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import Finding, Standing

from .book import Book
from .choose import helped_enough
from .credit import harmful, idle
from .entry import Entry, put_away
from .merge import QUARANTINED, subjects
from .words import overlap, terms

ABOUT = 0.3


def blamed(eligible: Iterable[Entry], findings: Sequence[Finding]) -> list[str]:
    """The entries that are about what was found wrong, whether they were there to prevent it or withheld."""
    return [entry.id for entry in eligible if any(about(entry, finding) for finding in findings)]


def about(entry: Entry, finding: Finding) -> bool:
    """Whether a finding is of the kind that an entry speaks of."""
    rule, where, title = finding.key
    words = terms(f"{title} {finding.detail} {finding.fix}")
    if (rule or title, where) in subjects(entry):
        return not entry.topic or bool(entry.topic & words)
    return overlap(words, terms(entry.text), {}) >= ABOUT


def settled(book: Book, ids: Iterable[str], project: str, now: str) -> Iterator[Entry]:
    """The entries whose standing changes after their latest outcome."""
    usual = book.usual(project)
    for id in dict.fromkeys(ids):
        entry = book.entries.get(id)
        if entry is None or not entry.live or entry.pinned:
            continue
        uses = book.uses(id)
        if harmful(uses, usual):
            yield put_away(entry, now, f"{QUARANTINED}: it does more harm than good")
        elif idle(uses, usual):
            yield put_away(entry, now, "put away: it makes no difference")
        elif helped_enough(book, entry) and not entry.quoted:
            yield replace(entry, standing=Standing.ACTIVE, reason="it helped")
