"""What a person may do to an entry. Pure: each deed makes another entry, with the reason in it."""

from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .entry import Entry, Trust, put_away
from .merge import DISMISSED


def approved(entry: Entry, at: str) -> Entry:
    """A person stands for it: it may instruct, whatever it was made of."""
    base, reason = max(entry.base, 0.8), "approved by a person"
    return replace(entry, trust=Trust.PERSON, standing=LearningStatus.ACTIVE, since=at, base=base, reason=reason)


def dismissed(entry: Entry, at: str) -> Entry:
    """It is gone until a person restores it, however often it is learned again."""
    return replace(put_away(entry, at, f"{DISMISSED} by a person"), pinned=False)


def pinned(entry: Entry, at: str) -> Entry:
    """It is kept whatever happens."""
    return replace(
        taken_back(entry, at),
        pinned=True,
        standing=LearningStatus.ACTIVE,
        trust=Trust.PERSON,
        reason="pinned by a person",
    )


def restored(entry: Entry, at: str) -> Entry:
    """It is there again; unless it was there all the time, it has to prove itself."""
    if entry.live:
        return replace(entry, pinned=False, reason="no longer pinned") if entry.pinned else entry
    return replace(taken_back(entry, at), standing=LearningStatus.PROBATION, reason="restored by a person")


def taken_back(entry: Entry, at: str) -> Entry:
    return replace(entry, until="", superseded_by="", since=at)
