"""Merge a new entry into the existing ones: entries are never rewritten, only changed by rules.

Of two contradicting entries about one thing, the newer verified one ends the older; of two that say the same, one
remains.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from openkoi_hookspecs import LearningStatus
from openkoi_hookspecs.lazy_dataclass import dataclass

from .duplicates import SAME_TOPIC, about_the_same, is_contrary, is_opinion, is_same
from .entry import LearningEntry, Trust, archive_entry
from .text_similarity import (
    EMPTY_VOCABULARY,
    Vocabulary,
    contradict,
    stem_terms,
    weighted_overlap,
    without_specifics,
    word_overlap,
)

SIMILAR_TEXT = 0.6  # share of common words (estimate)
MAX_PROOFS, MAX_TASKS = 12, 12  # kept of an entry
DISMISSED = "dismissed"
QUARANTINED = "quarantined"


def merge_entries(
    entries: Iterable[LearningEntry],
    new: LearningEntry,
    now: str,
    blamed: Collection[str] = (),
    *,
    vocabulary: Vocabulary = EMPTY_VOCABULARY,
) -> list[LearningEntry]:
    """Return the entries that change: the new one or the one it adds evidence to, and those that it ends.

    ``blamed`` entries were shown to the run that taught this, and its findings are about them.
    """
    near = [one for one in entries if one.scope != "project" or one.project == new.project]
    twin = find_twin(near, new, vocabulary)
    kept = reinforce_entry(twin, new, now) if twin else new
    by = MergeContext(new, blamed, vocabulary)
    ended = [(one, end_reason(one, kept, by)) for one in near if one is not twin and one.is_live]
    return [kept, *(archive_entry(one, now, f"{why} {kept.id}", by=kept.id) for one, why in ended if why)]


@dataclass(frozen=True, slots=True)
class MergeContext:
    """What a run taught, the entries to blame for its findings, and the project's vocabulary."""

    seen: LearningEntry
    blamed: Collection[str]
    vocabulary: Vocabulary


def find_twin(entries: Iterable[LearningEntry], new: LearningEntry, vocabulary: Vocabulary) -> LearningEntry | None:
    """Return the entry that says the same, preferring a live one to an archived one."""
    twins = [
        one for one in entries if one.id == new.id or (is_same(one, new, vocabulary) and not is_superseded(one, new))
    ]
    return max(twins, key=lambda one: (one.is_live, one.id == new.id, word_overlap(one.text, new.text)), default=None)


def is_superseded(old: LearningEntry, new: LearningEntry) -> bool:
    """Return whether a new entry is confirmed and an older one is not."""
    return old.is_live and is_opinion(old) and not is_opinion(new)


def end_reason(old: LearningEntry, kept: LearningEntry, by: MergeContext) -> str:
    """Return why an older entry ends beside one that is kept; empty if it stays."""
    if supersedes(kept, old, by):
        return "contradicted by"
    local = old.scope == kept.scope == "project" and not old.pinned
    return (
        "the same as"
        if local and kept.is_live and old.trust <= kept.trust and is_same(old, kept, by.vocabulary)
        else ""
    )


def reinforce_entry(known: LearningEntry, new: LearningEntry, now: str) -> LearningEntry:
    """Add the evidence of a repeated observation; a dismissed entry stays dismissed, and read text gains no trust."""
    proofs = tuple(dict.fromkeys((*known.proofs, *new.proofs)))
    proofs = proofs if len(proofs) <= MAX_PROOFS else (proofs[0], *proofs[1 - MAX_PROOFS :])
    more = replace(
        known,
        proofs=proofs,
        when=tuple(dict.fromkeys((*known.when, *new.when)))[-MAX_TASKS:],
        keys=tuple(dict.fromkeys((*known.keys, *new.keys))),
        base=known.base if new.is_from_source else max(known.base, new.base),
        reason="seen again",
    )
    if known.is_live:
        sure = new.standing is LearningStatus.ACTIVE and not known.is_from_source
        return replace(more, standing=LearningStatus.ACTIVE, trust=max(known.trust, new.trust)) if sure else more
    if new.standing is not LearningStatus.ACTIVE or known.reason.startswith(DISMISSED):
        return replace(more, reason=known.reason)
    return replace(more, standing=LearningStatus.PROBATION, since=now, until="", superseded_by="", reason="seen again")


def supersedes(new: LearningEntry, old: LearningEntry, by: MergeContext) -> bool:
    """Return whether a new entry ends an older one: they contradict, and the new one was verified.

    Of two opinions the newer wins if the older was shown and is to blame, and a check passes since.
    """
    seen, blamed = by.seen, by.blamed
    verified = seen.standing is LearningStatus.ACTIVE
    newer = is_opinion(old) and old.id in blamed and any(proof.fixed_checks for proof in seen.proofs)
    if not (verified or newer) or old.pinned or seen.trust < min(old.trust, Trust.CHECK):
        return False
    if old.trust is Trust.PERSON and seen.trust is not Trust.PERSON:
        return False
    other = is_advice(old, new) and contradict(old.stance, new.stance, by.vocabulary)
    if not (is_contrary(old, new) or (other and old.id in blamed)):
        return False
    if old.id in blamed and is_opinion(old) and not is_opinion(seen):
        return True
    speaks_of_it = (
        not old.when and is_opinion(old) and weighted_overlap(stem_terms(old.text), new.topic, {}) >= SAME_TOPIC
    )
    if old.id in blamed:
        return speaks_of_it or about_the_same(old, new, by.vocabulary)
    related = word_overlap(without_specifics(old.stance), without_specifics(new.stance)) >= SIMILAR_TEXT
    return related and (speaks_of_it or about_the_same(old, new))


def is_advice(*entries: LearningEntry) -> bool:
    """Return whether entries say what to do rather than what not to do."""
    return all(entry.kind != "anti_pattern" for entry in entries)
