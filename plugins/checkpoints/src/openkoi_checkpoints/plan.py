"""Decide what a restore does with each path. Knows three sets of entries; knows no disk.

A path is brought back when it still is what we last knew it to be, or when nothing is there. What differs from that was
changed by somebody else, and is theirs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .manifest import Entry, Kind

CHANGED = "changed since the last checkpoint"
NOT_KEPT = {
    Kind.LARGE: "too large, so its content was not kept",
    Kind.UNREADABLE: "could not be read, so its content was not kept",
}


@dataclass(frozen=True, slots=True)
class Views:
    """What is wanted, how things were when we last looked, how they are, and what was out of sight when wanted."""

    wanted: Mapping[str, Entry]
    last: Mapping[str, Entry]
    now: Mapping[str, Entry]
    hidden: Callable[[Entry], bool]


@dataclass(slots=True)
class Plan:
    """What to remove, what to make, and what to leave alone, with the reason."""

    remove: list[Entry] = field(default_factory=list)
    make: list[Entry] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)


def plan(views: Views) -> Plan:
    """Go through all paths; those above come before those below."""
    made = Plan()
    for path in sorted({*views.wanted, *views.now}):
        want, here = views.wanted.get(path), views.now.get(path)
        if want == here:
            continue
        reason = why_not(path, views)
        if reason is None:
            add(made, want, here)
        elif reason:
            made.left[path] = reason
    return made


def why_not(path: str, views: Views) -> str | None:
    """The reason to leave a path alone, an empty one when it was never ours; None when it may be changed."""
    want, was, here = views.wanted.get(path), views.last.get(path), views.now.get(path)
    if want is None and (was is None or (here and views.hidden(here))):
        return ""
    for entry in (want, here):
        if entry and not entry.kept:
            return NOT_KEPT[entry.kind]
    return None if here in (None, was) else CHANGED


def add(plan: Plan, want: Entry | None, here: Entry | None) -> None:
    """Note what has to be done for one path."""
    if here and (want is None or want.kind is not here.kind):
        plan.remove.append(here)
    if want:
        plan.make.append(want)
