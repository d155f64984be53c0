"""Derive changed entries from the lessons of a finished run: vet, then merge."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .corrections import quoted_text
from .entry import FIXED_BY, EntryEvidence, LearningEntry, Trust
from .lesson import Lesson
from .merge import NO_FAULTS, Faults, merge_entries
from .promotion import restore_local
from .provenance import SourcesRead, is_storable, lowest_trust, repeats_memory
from .sameness import Relation, compare

DOUBTED = "the run had read text that may say the same, so another run must confirm it"


def derive_changes(
    entries: Iterable[LearningEntry],
    lesson: Lesson,
    found: Iterable[LearningEntry],
    read: SourcesRead,
    redact: Callable[[str], str],
    faults: Faults | None = None,
) -> list[LearningEntry]:
    """Return the entries that change because of those found in a run."""
    known = {entry.id: entry for entry in entries}
    changed: dict[str, LearningEntry] = {}
    for new in vet_entries(found, add_user_words(read, lesson), redact):
        if any(is_needless(new, one) for one in known.values()):
            continue
        kept, *ended = merge_entries(known.values(), new, lesson.at, faults or NO_FAULTS)
        gone = [one for one in ended if known[one.id].is_live and not one.is_live]  # some only have another subject
        home = [entry for each in gone for entry in restore_local(known.values(), each, lesson.project, lesson.at)]
        for entry in (kept, *ended, *home):
            known[entry.id] = changed[entry.id] = entry
    return list(changed.values())


def is_needless(new: LearningEntry, known: LearningEntry) -> bool:
    """Return whether an equally trusted entry already covers a new one."""
    sure = known.is_live and known.project == new.project and known.trust >= new.trust
    return sure and compare(new, known) is Relation.COVERED


def add_user_words(read: SourcesRead, lesson: Lesson) -> SourcesRead:
    """Return what a run had read, the user's task, and what the user quoted."""
    written = (*(answer for _, answer in lesson.answers), *lesson.messages)
    return replace(read, asked=lesson.result.task.text, quoted=tuple(filter(None, map(quoted_text, written))))


def vet_entries(
    entries: Iterable[LearningEntry], read: SourcesRead, redact: Callable[[str], str]
) -> Iterator[LearningEntry]:
    """Drop secrets and repetitions of memory; give nothing more trust than its source."""
    for entry in entries:
        text = " ".join((entry.text, entry.unless, *entry.keys))
        if len(entry.text) < 3 or not is_storable(text, redact):
            continue
        if entry.trust is not Trust.PERSON and repeats_memory(entry.text, entry.stance, read, entry.visible_content):
            continue
        trust = lowest_trust(entry.text, read, entry.trust, {proof.rule for proof in entry.proofs})
        if Trust.MODEL <= trust < Trust.PERSON:
            if restates_source(entry, read):
                trust = Trust.TOOL
            elif may_restate_source(entry, read):
                entry, trust = doubt_entry(entry), Trust.MODEL
        clean = tuple(one for one in entry.when if is_storable(one, redact))
        standing = entry.standing if trust >= Trust.MODEL else LearningStatus.PROBATION
        yield replace(entry, trust=trust, standing=standing, when=clean)


def doubt_entry(entry: LearningEntry) -> LearningEntry:
    """Return an entry as an opinion, which its own check did not verify."""
    proofs = tuple(replace(proof, checked=False) for proof in entry.proofs)
    return replace(entry, standing=LearningStatus.PROBATION, proofs=proofs, reason=DOUBTED)


def may_restate_source(entry: LearningEntry, read: SourcesRead) -> bool:
    """Return whether the advice of a finding may be that of prose that was read before, in other words.

    Its own check does not verify it then. A line of code that fixed something is not advice in words.
    """
    first = entry.proofs[0] if entry.proofs else EntryEvidence(run="")
    sources = read.read_before(first.iteration)
    verified = entry.trust is Trust.CHECK or first.checked
    if not verified or entry.advice.startswith(FIXED_BY) or not any(sources):
        return False
    from .paraphrase import may_paraphrase, paraphrases, whole_words

    known = whole_words(f"{read.asked} {first.rule} {first.where}")
    return may_paraphrase(entry.stance, sources, known) and not paraphrases(entry.stance, (read.asked,))


def restates_source(entry: LearningEntry, read: SourcesRead) -> bool:
    """Return whether an entry paraphrases what was read before its finding.

    Words of the task, the check and the place do not count, and neither do those of a title that is not a paraphrase.
    """
    first = entry.proofs[0] if entry.proofs else EntryEvidence(run="")
    text = entry.text
    if entry.advice.startswith(FIXED_BY):  # code without comments, beside a title or the name of a check
        text = first.finding if first.finding in text else ""
    sources = read.read_before(first.iteration)
    if not (text and any(sources)):
        return False
    from .paraphrase import paraphrases, whole_words

    known = whole_words(f"{read.asked} {first.rule} {first.where}")
    if not paraphrases(first.finding, sources, known):
        known |= whole_words(first.finding)
    return paraphrases(text, sources, known)
