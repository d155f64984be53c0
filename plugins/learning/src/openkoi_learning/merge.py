"""What a new entry does to those that are there: nothing is rewritten, everything is a delta that code decides on.

Of two that are about one thing and cannot both hold, the newer one that was verified ends the validity of the older;
of two that say the same, one is kept.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from openkoi_hookspecs import LearningStatus

from .entry import LearningEntry, Trust, put_away
from .sameness import SAME_TOPIC, about_the_same, contrary, opinion, same
from .words import PLAIN, Tongue, alike, contradict, frame, overlap, terms

RELATED = 0.6
PROOFS, TASKS = 12, 12
DISMISSED = "dismissed"
QUARANTINED = "quarantined"


def merge_entries(
    entries: Iterable[LearningEntry],
    new: LearningEntry,
    now: str,
    blamed: Collection[str] = (),
    *,
    tongue: Tongue = PLAIN,
) -> list[LearningEntry]:
    """Return the entries that change: the new one or the one it adds evidence to, and those that it ends.

    ``blamed`` entries were shown to the run that taught this, and are about what went wrong in it; ``tongue`` is
    how people speak in the project.
    """
    near = [one for one in entries if one.scope != "project" or one.project == new.project]
    twin = closest(near, new, tongue)
    kept = reinforce_entry(twin, new, now) if twin else new
    by = Taught(new, blamed, tongue)
    ended = [(one, fate(one, kept, by)) for one in near if one is not twin and one.live]
    return [kept, *(put_away(one, now, f"{why} {kept.id}", by=kept.id) for one, why in ended if why)]


@dataclass(frozen=True, slots=True)
class Taught:
    """What a run taught, the entries to blame for what went wrong in it, and how people speak there."""

    seen: LearningEntry
    blamed: Collection[str]
    tongue: Tongue


def closest(entries: Iterable[LearningEntry], new: LearningEntry, tongue: Tongue) -> LearningEntry | None:
    """Return the entry that says the same, preferring a live one to an archived one."""
    twins = [one for one in entries if one.id == new.id or (same(one, new, tongue) and not is_superseded(one, new))]
    return max(twins, key=lambda one: (one.live, one.id == new.id, alike(one.text, new.text)), default=None)


def is_superseded(old: LearningEntry, new: LearningEntry) -> bool:
    """Return whether a new entry is confirmed and an older one is not."""
    return old.live and opinion(old) and not opinion(new)


def fate(old: LearningEntry, kept: LearningEntry, by: Taught) -> str:
    """What becomes of an older entry beside one that is kept: why it ends, or nothing."""
    if ends(kept, old, by):
        return "contradicted by"
    local = old.scope == kept.scope == "project" and not old.pinned
    return "the same as" if local and kept.live and old.trust <= kept.trust and same(old, kept, by.tongue) else ""


def reinforce_entry(known: LearningEntry, new: LearningEntry, now: str) -> LearningEntry:
    """Add the evidence of a repeated observation; a dismissed entry stays dismissed, and read text gains no trust."""
    proofs = tuple(dict.fromkeys((*known.proofs, *new.proofs)))
    proofs = proofs if len(proofs) <= PROOFS else (proofs[0], *proofs[1 - PROOFS :])
    more = replace(
        known,
        proofs=proofs,
        when=tuple(dict.fromkeys((*known.when, *new.when)))[-TASKS:],
        keys=tuple(dict.fromkeys((*known.keys, *new.keys))),
        base=known.base if new.read else max(known.base, new.base),
        reason="seen again",
    )
    if known.live:
        sure = new.standing is LearningStatus.ACTIVE and not known.read
        return replace(more, standing=LearningStatus.ACTIVE, trust=max(known.trust, new.trust)) if sure else more
    if new.standing is not LearningStatus.ACTIVE or known.reason.startswith(DISMISSED):
        return replace(more, reason=known.reason)
    return replace(more, standing=LearningStatus.PROBATION, since=now, until="", superseded_by="", reason="seen again")


def ends(new: LearningEntry, old: LearningEntry, by: Taught) -> bool:
    """Whether a new entry ends the validity of an older one: they cannot both hold, and it was verified.

    Of two opinions the newer one stands where the older was shown and is to blame, and a check turned green since.
    """
    seen, blamed = by.seen, by.blamed
    verified = seen.standing is LearningStatus.ACTIVE
    newer = opinion(old) and old.id in blamed and any(proof.mended for proof in seen.proofs)
    if not (verified or newer) or old.pinned or seen.trust < min(old.trust, Trust.CHECK):
        return False
    if old.trust is Trust.PERSON and seen.trust is not Trust.PERSON:
        return False
    other = advises(old, new) and contradict(old.stance, new.stance, by.tongue)
    if not (contrary(old, new) or (other and old.id in blamed)):
        return False
    if old.id in blamed and opinion(old) and not opinion(seen):
        return True
    speaks_of_it = not old.when and opinion(old) and overlap(terms(old.text), new.topic, {}) >= SAME_TOPIC
    if old.id in blamed:
        return speaks_of_it or about_the_same(old, new, by.tongue)
    related = alike(frame(old.stance), frame(new.stance)) >= RELATED
    return related and (speaks_of_it or about_the_same(old, new))


def advises(*entries: LearningEntry) -> bool:
    """Whether entries say what to do rather than what not to do."""
    return all(entry.kind != "anti_pattern" for entry in entries)
