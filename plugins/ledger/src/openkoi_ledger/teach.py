"""From a finished run to the entries that change: extract, vet, merge. Pure; whoever calls it writes them down."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .entry import Entry, Trust
from .extract import extracted
from .lesson import Lesson
from .merge import merged
from .promote import taken_home
from .trust import Read, lineage, recalled, sayable


def taught(
    entries: Iterable[Entry],
    lesson: Lesson,
    read: Read,
    redact: Callable[[str], str],
    *,
    more: Iterable[Entry] = (),
    blamed: Collection[str] = (),
    told: bool = False,
) -> list[Entry]:
    """What changes by a run: by what the rules find in it, unless that is ``told``, and by ``more`` that was said."""
    known = {entry.id: entry for entry in entries}
    changed: dict[str, Entry] = {}
    for new in vetted([*([] if told else extracted(lesson)), *more], read, redact):
        kept, *ended = merged(known.values(), new, lesson.at, blamed, tongue=lesson.tongue)
        home = [one for each in ended for one in taken_home(known.values(), each, lesson.project, lesson.at)]
        for entry in (kept, *ended, *home):
            known[entry.id] = changed[entry.id] = entry
    return list(changed.values())


def vetted(entries: Iterable[Entry], read: Read, redact: Callable[[str], str]) -> Iterator[Entry]:
    """Leave out secrets and what was only recalled; let nothing be more trusted than what it was made of."""
    for entry in entries:
        told = " ".join((entry.text, entry.unless, *entry.keys))
        if len(entry.text) < 3 or not sayable(told, redact):
            continue
        if entry.trust is not Trust.PERSON and recalled(entry.text, entry.stance, read):
            continue
        trust = lineage(entry.text, read, entry.trust, {proof.rule for proof in entry.proofs})
        clean = tuple(one for one in entry.when if sayable(one, redact))
        standing = entry.standing if trust >= Trust.MODEL else LearningStatus.PROBATION
        yield replace(entry, trust=trust, standing=standing, when=clean)
