"""What becomes of the entries that a run was shown: blame, and with it probation, quarantine or rest."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import Finding, Standing

from .book import Book
from .choose import helped_enough
from .credit import harmful, idle
from .entry import Entry, put_away
from .merge import QUARANTINED, SAME, SAME_TOPIC, ruled, subjects
from .words import alike, details, overlap, terms


def blamed(eligible: Iterable[Entry], findings: Sequence[Finding], task: str = "") -> list[str]:
    """The entries that are about what was found wrong, whether they were there to prevent it or withheld."""
    words = terms(task)
    return [entry.id for entry in eligible if any(about(entry, finding, words) for finding in findings)]


def about(entry: Entry, finding: Finding, task: frozenset[str] = frozenset()) -> bool:
    """Whether a finding is of the kind that an entry speaks of, and wants something else than the entry does.

    What it is about are the words that it has in common with the task; one that has none is about all of the task.
    """
    if agrees(entry, finding):
        return False
    rule, where, title = finding.key
    words = terms(f"{title} {finding.detail} {finding.fix}")
    if (rule or title, where) in subjects(entry) and (not entry.topic or terms(rule) & entry.topic):
        return True
    if rule and ruled(entry) and (rule, where) not in subjects(entry):
        return False
    return overlap(entry.topic or terms(entry.text), words & task or task or words, {}) >= SAME_TOPIC


def agrees(entry: Entry, finding: Finding) -> bool:
    """Whether an entry says what the finding wants: then it is not the entry that did it."""
    if not finding.fix or entry.kind == "anti_pattern":
        return False
    wanted = details(finding.fix)
    if wanted.identifiers or wanted.numbers:
        return wanted == details(entry.stance)
    return alike(finding.fix, entry.stance) >= SAME


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
