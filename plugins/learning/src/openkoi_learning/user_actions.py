"""Apply a user's decision to an entry, with its reason."""

from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .entry import RESTORED, LearningEntry, Trust, archive_entry
from .merge import DISMISSED


def approve_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Approve an entry, so that it is shown as an instruction whatever its source."""
    base, reason = max(entry.base, 0.8), "approved by the user"
    approved = replace(entry, trust=Trust.PERSON, standing=LearningStatus.ACTIVE, withdrawn=False)
    return replace(approved, since=at, base=base, reason=reason)


def dismiss_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Dismiss an entry until the user restores it, even if it is learned again.

    Its approval ends: restored, it has the lowest trust unless the user wrote it.
    """
    approved = entry.trust is Trust.PERSON and entry.origin != "user"
    gone = replace(archive_entry(entry, at, f"{DISMISSED} by the user"), pinned=False)
    return replace(gone, trust=Trust.PAGE, withdrawn=True) if approved else gone


def pin_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Pin an entry, so that it is always eligible and never archived."""
    return replace(
        clear_end(entry, at),
        pinned=True,
        standing=LearningStatus.ACTIVE,
        reason="pinned by the user",
    )


def restore_entry(entry: LearningEntry, at: str) -> LearningEntry:
    """Restore an entry, on probation unless it was never dismissed."""
    if entry.is_live:
        return replace(entry, pinned=False, reason="no longer pinned") if entry.pinned else entry
    return replace(clear_end(entry, at), standing=LearningStatus.PROBATION, reason=RESTORED)


def clear_end(entry: LearningEntry, at: str) -> LearningEntry:
    return replace(entry, until="", superseded_by="", since=at)
