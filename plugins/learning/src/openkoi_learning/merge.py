"""Merge a new entry into the existing ones (deduplicate): entries are never rewritten, only changed by rules."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import LearningStatus
from openkoi_hookspecs.lazy_dataclass import dataclass

from .content import Replacement, has_words, terms_of
from .entry import FIXED_BY, SAME, LearningEntry, Trust, archive_entry
from .entry_subject import limit_subject, places_of
from .sameness import Relation, compare
from .subjects import move_topic

MAX_PROOFS, MAX_TASKS = 12, 12  # kept of an entry
DISMISSED = "dismissed"
QUARANTINED = "quarantined"
ENDED_BY = {Relation.COVERED: "covered by", Relation.DUPLICATE: SAME}


@dataclass(frozen=True, slots=True)
class Faults:
    """Entries shown to a run that its result refutes, or that were right but not followed."""

    contradicted: frozenset[str] = frozenset()
    unheeded: frozenset[str] = frozenset()


NO_FAULTS = Faults()


def merge_entries(
    entries: Iterable[LearningEntry], new: LearningEntry, now: str, faults: Faults = NO_FAULTS
) -> list[LearningEntry]:
    """Return the entries that change: the new one or the one it adds evidence to, and those that it ends.

    ``faults`` are those of the run that taught the new one.
    """
    near = [one for one in entries if one.scope != "project" or one.project == new.project]
    new = find_subject(near, new)
    twin = find_twin(near, new)
    kept = reinforce_entry(twin, new, now) if twin else new
    if twin and twin.id != new.id and is_worded_better(new, twin, kept, unheeded=twin.id in faults.unheeded):
        kept = reword_entry(kept, new)
    others = [one for one in near if one.id != kept.id and one.is_live]
    moved = {one.id: one for one in link_by_rule([one for one in near if one.id != kept.id], kept)}
    kept, others = moved.pop(kept.id, kept), [moved.get(one.id, one) for one in others]
    same = twin.id if twin else ""  # it is among the others if it was reworded
    ended = [(one, SAME if one.id == same else end_reason(one, kept, faults.contradicted)) for one in others]
    moved |= {one.id: archive_entry(one, now, f"{why} {kept.id}", by=kept.id) for one, why in ended if why}
    return [kept, *moved.values()]


def link_by_rule(others: Sequence[LearningEntry], new: LearningEntry) -> Iterable[LearningEntry]:
    """Return the entries whose subject changes, because findings of one rule show that two subjects are one."""
    linked = (
        one for one in others if one.is_live and one.topic != new.topic and compare(one, new) is Relation.SAME_SUBJECT
    )
    old = next(linked, None)
    return list(move_topic([*others, new], old, new)) if old else []


def reword_entry(known: LearningEntry, new: LearningEntry) -> LearningEntry:
    """Return an entry with the words of a repeated observation, about the same subject, with the lower trust of two."""
    standing = known.standing if new.trust >= known.trust else new.standing
    trust = min(known.trust, new.trust)
    return replace(
        known, id=new.id, text=new.text, advice=new.advice, subject=known.topic, trust=trust, standing=standing
    )


def is_worded_better(new: LearningEntry, known: LearningEntry, merged: LearningEntry, *, unheeded: bool) -> bool:
    """Return whether to keep the words of a repeated observation, with no more trust than they have.

    They leave out a condition that is none, because their task did not have it; or the known words name one that this
    task does not have, and were not heeded here; or they advise where the known ones only quote a line.
    """
    if not known.is_live or known.pinned or known.proved or Trust.PERSON in (known.trust, new.trust):
        return False
    if new.is_from_source and not known.is_from_source:
        return False
    sure = known.standing is LearningStatus.ACTIVE and new.trust < known.trust
    if not sure and known.advice.startswith(FIXED_BY) and not new.advice.startswith(FIXED_BY):
        return new.kind == known.kind
    dropped = known.stated_words - merged.stated_words
    elsewhere = terms_of(" ".join(known.when)) - terms_of(" ".join(new.when))
    misread = unheeded and bool(terms_of(known.text) & elsewhere)
    return (misread or bool(dropped - terms_of(new.text))) and new.kind == known.kind


def find_subject(entries: Iterable[LearningEntry], new: LearningEntry) -> LearningEntry:
    """Give an entry the subject of the entry whose content its line replaced: both are about that line."""
    lines = [Replacement(proof.replaced, proof.replacement) for proof in new.proofs if proof.replaced]
    for one in entries if lines and not new.subject else ():
        if any(line.drops(one.visible_content) for line in lines) and compare(one, new) is not Relation.DISTINCT:
            return replace(new, subject=one.topic)
    return new


def find_twin(entries: Iterable[LearningEntry], new: LearningEntry) -> LearningEntry | None:
    """Return the equivalent entry, preferring a live one to an archived one."""
    twins = [one for one in entries if compare(one, new) is Relation.DUPLICATE]
    return max(twins, key=lambda one: (one.is_live, one.trust, len(one.proofs)), default=None)


def end_reason(old: LearningEntry, kept: LearningEntry, blamed: Collection[str]) -> str:
    """Return why an older entry ends because another is kept; empty if the older one stays."""
    if old.pinned or old.trust > kept.trust:
        return ""
    doubted = old.standing is not LearningStatus.ACTIVE or old.scope != "project"
    relation = compare(old, kept)
    if old.id in blamed and doubted and relation.may_contradict:
        return "contradicted by"
    local = old.scope == kept.scope == "project"
    return ENDED_BY.get(relation, "") if local and kept.is_live else ""


def common_content(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return what two contents have in common: parts, or a phrase that another contains."""
    if len(one) == len(other) == 1 and (has_words(one[0], other[0]) or has_words(other[0], one[0])):
        return (min(one[0], other[0], key=len),)
    return tuple(part for part in one if part in other) or one or other


def reinforce_entry(known: LearningEntry, new: LearningEntry, now: str) -> LearningEntry:
    """Add the evidence of a repeated observation; a dismissed entry stays dismissed, and read text gains no trust.

    Its content is what both observations have in common, and so is the place that its subject is limited to.
    """
    proofs = tuple(dict.fromkeys((*known.proofs, *new.proofs)))
    proofs = proofs if len(proofs) <= MAX_PROOFS else (proofs[0], *proofs[1 - MAX_PROOFS :])
    more = replace(
        known,
        proofs=proofs,
        content=common_content(known.content, new.content),
        when=tuple(dict.fromkeys((*known.when, *new.when)))[-MAX_TASKS:],
        keys=tuple(dict.fromkeys((*known.keys, *new.keys))),
        base=known.base if new.is_from_source else max(known.base, new.base),
        reason="seen again",
    )
    if places_of(known) and not places_of(more):
        more = limit_subject(more)
    if known.is_live:
        sure = new.standing is LearningStatus.ACTIVE and not known.is_from_source
        return replace(more, standing=LearningStatus.ACTIVE, trust=max(known.trust, new.trust)) if sure else more
    if known.reason.startswith(DISMISSED) or (known.is_from_source and not known.superseded_by):
        return replace(more, reason=known.reason)
    return replace(more, standing=LearningStatus.PROBATION, since=now, until="", superseded_by="", reason="seen again")
