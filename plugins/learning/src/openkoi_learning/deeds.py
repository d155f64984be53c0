"""Apply a user's decision to an entry, with its reason."""

from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .entry import LearningEntry, Trust, put_away
from .merge import DISMISSED


def approve_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Approve an entry: it may instruct, whatever it was made of."""
    base, reason = max(entry.base, 0.8), "approved by a person"
    return replace(entry, trust=Trust.PERSON, standing=LearningStatus.ACTIVE, since=at, base=base, reason=reason)


def dismiss_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Dismiss an entry until the user restores it, even if it is learned again."""
    return replace(put_away(entry, at, f"{DISMISSED} by a person"), pinned=False)


def pin_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Keep an entry in any case."""
    return replace(
        taken_back(entry, at),
        pinned=True,
        standing=LearningStatus.ACTIVE,
        trust=Trust.PERSON,
        reason="pinned by a person",
    )


def restore_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Restore an entry, on probation unless it was never dismissed."""
    if entry.live:
        return replace(entry, pinned=False, reason="no longer pinned") if entry.pinned else entry
    return replace(taken_back(entry, at), standing=LearningStatus.PROBATION, reason="restored by a person")


def taken_back(entry: LearningEntry, at: str) -> LearningEntry:
    return replace(entry, until="", superseded_by="", since=at)
