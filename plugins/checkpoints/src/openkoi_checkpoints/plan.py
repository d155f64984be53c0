"""Decide what a restore does with each path. Knows three sets of entries; knows no disk.

A path is brought back when it still is what we last knew it to be, or when nothing is there. What differs from that was
changed by somebody else, and is theirs. What was only noticed comes back if one of ours saved it before writing it.
"""

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .ignored import folders_above
from .manifest import KEPT, NOTICED, Entry, Kind, same

CHANGED = "changed since the last checkpoint"
NOT_KEPT = {
    Kind.LARGE: "too large, so its content was not kept",
    Kind.IGNORED: "ignored, so its content was not kept",
    Kind.CROWDED: "ignored and too full to look at, so nothing in it was kept",
    Kind.PASSED: "passed over, so it was not kept",
    Kind.UNREADABLE: "could not be read, so its content was not kept",
}
ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Views:
    """What is wanted, how things were when we last looked, and how they are.

    ``saved`` tells whether a path was saved in this look before one of ours wrote it.
    """

    wanted: Mapping[str, Entry]
    last: Mapping[str, Entry]
    now: Mapping[str, Entry]
    saved: Callable[[str, str], bool]


@dataclass(slots=True)
class Plan:
    """What to remove, what to make, whose mode alone to set, and what to leave alone, with the reason."""

    remove: list[Entry] = field(default_factory=list)
    make: list[Entry] = field(default_factory=list)
    modes: list[Entry] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    @property
    def touched(self) -> list[str]:
        """All paths that something is done to."""
        return [entry.path for entry in (*self.remove, *self.make, *self.modes)]

    def without(self, left: Mapping[str, str]) -> "Plan":
        """The same but for these paths, and what lies below them."""
        if not left:
            return self
        remove, make, modes = (
            [entry for entry in some if not within(entry.path, left)] for some in (self.remove, self.make, self.modes)
        )
        return Plan(remove, make, modes, {**self.left, **left})


def within(path: str, some: Mapping[str, object]) -> bool:
    """Whether a path is one of some, or below one."""
    return path in some or any(above in some for above in folders_above(path))


def plan(views: Views) -> Plan:
    """Go through all paths; those above come before those below."""
    made = Plan()
    both = (*views.wanted.values(), *views.now.values())
    crowded = {entry.path: entry for entry in both if entry.kind is Kind.CROWDED}
    for path in sorted({*views.wanted, *views.now}):
        want, here = views.wanted.get(path), views.now.get(path)
        if same(want, here) or (crowded and within(path.rpartition("/")[0], crowded)):
            continue
        reason = why_not(path, views)
        if reason is None:
            add(made, want, here)
        elif reason:
            made.left[path] = reason
    return made


def why_not(path: str, views: Views) -> str | None:
    """The reason to leave a path alone, an empty one when it is none of our doing; None when it may be changed."""
    want, was, here = views.wanted.get(path), views.last.get(path), views.now.get(path)
    if want is None and (was is None or (was.kind is Kind.PASSED and not was.size)):
        return ""
    if want and want.kind in NOTICED and same(want, was):
        return ""
    if here is not None and not same(here, was) and not half_made(want, was, here):
        return CHANGED
    if want and here and want.same_content(here):
        return None
    return not_kept(want, views) or overwrites(want, here, views)


def half_made(want: Entry | None, was: Entry | None, here: Entry) -> bool:
    """Whether a restore that was killed has made or opened this folder: its mode would have come last."""
    folders = all(one is None or one.kind is Kind.FOLDER for one in (want, was, here))
    return folders and here.mode == (was.mode if was else 0) | stat.S_IRWXU


def not_kept(want: Entry | None, views: Views) -> str | None:
    """Why what is wanted cannot be had."""
    if want is None or want.kind in KEPT:
        return None
    there = want.kind in NOTICED and views.saved(want.path, want.look)
    return None if there else NOT_KEPT[want.kind]


def overwrites(want: Entry | None, here: Entry | None, views: Views) -> str | None:
    """Why what is here must stay: nobody kept it, unless it was a tool of ours that put it where something else was."""
    if here is None or here.kind in KEPT:
        return None
    ours = here.kind in NOTICED and views.saved(here.path, want.look if want else ABSENT)
    return None if ours else NOT_KEPT[here.kind]


def add(plan: Plan, want: Entry | None, here: Entry | None) -> None:
    """Note what has to be done for one path."""
    if want and here and want.same_content(here):
        plan.modes.append(want)
        return
    if here and (want is None or Kind.FOLDER in (want.kind, here.kind)):
        plan.remove.append(here)
    if want:
        plan.make.append(want)
