"""Derive changed entries from a finished run: extract, vet, merge."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .entry import LearningEntry, Trust
from .extract import extract_entries
from .lesson import Lesson
from .merge import merge_entries
from .promote import taken_home
from .trust import Read, lineage, repeats_memory, sayable


def taught(
    entries: Iterable[LearningEntry],
    lesson: Lesson,
    read: Read,
    redact: Callable[[str], str],
    *,
    more: Iterable[LearningEntry] = (),
    blamed: Collection[str] = (),
    told: bool = False,
) -> list[LearningEntry]:
    """What changes by a run: by what the rules find in it, unless that is ``told``, and by ``more`` that was said."""
    known = {entry.id: entry for entry in entries}
    changed: dict[str, LearningEntry] = {}
    for new in vet_entries([*([] if told else extract_entries(lesson)), *more], read, redact):
        kept, *ended = merge_entries(known.values(), new, lesson.at, blamed, tongue=lesson.tongue)
        home = [one for each in ended for one in taken_home(known.values(), each, lesson.project, lesson.at)]
        for entry in (kept, *ended, *home):
            known[entry.id] = changed[entry.id] = entry
    return list(changed.values())


def vet_entries(entries: Iterable[LearningEntry], read: Read, redact: Callable[[str], str]) -> Iterator[LearningEntry]:
    """Drop secrets and repetitions of memory; give nothing more trust than its source."""
    for entry in entries:
        told = " ".join((entry.text, entry.unless, *entry.keys))
        if len(entry.text) < 3 or not sayable(told, redact):
            continue
        if entry.trust is not Trust.PERSON and repeats_memory(entry.text, entry.stance, read):
            continue
        trust = lineage(entry.text, read, entry.trust, {proof.rule for proof in entry.proofs})
        clean = tuple(one for one in entry.when if sayable(one, redact))
        standing = entry.standing if trust >= Trust.MODEL else LearningStatus.PROBATION
        yield replace(entry, trust=trust, standing=standing, when=clean)
