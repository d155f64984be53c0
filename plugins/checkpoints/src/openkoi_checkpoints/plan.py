"""What a restore does with each path, and what is known of the paths before. Facts only; knows no disk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from .ignored import folders_above
from .manifest import Entry, Kind
from .renames import Renames

CHANGED = "changed since, and both changes conflict"
REPLACED = "something else is there now"
BLOCKED = "its folder could not be restored"
ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Sides:
    """How things were when the work was done, how they are wanted, and how they are now.

    ``saved`` tells whether a path was saved in this look before one of ours wrote it. ``merged`` returns what is to
    stand at a path, given the base (None where there was none), the wanted and the present file; None where they
    conflict.
    """

    base: Mapping[str, Entry]
    wanted: Mapping[str, Entry]
    now: Mapping[str, Entry]
    saved: Callable[[str, str], bool]
    merged: Callable[[Entry | None, Entry, Entry], Entry | None]
    renames: Renames
    force: bool = False

    def of(self, path: str) -> tuple[Entry | None, Entry | None, Entry | None]:
        """A path as it was, is wanted and is now; one that the work and others renamed alike was the same file."""
        want, here = self.wanted.get(path), self.now.get(path)
        base = self.base.get(path) or (want and here and self.renames.origin(want, here))
        return base, want, here


@dataclass(slots=True)
class Plan:
    """What to remove, what to make, whose mode alone to set, and what to leave alone, with the reason.

    ``conflicts`` are left alone because others changed them, too. Of the files to make, ``merged`` keep changes of
    others; ``unchanged`` files already are as they are wanted. ``moves`` leads from the path of such a merged file to
    the one that it is removed from.
    """

    remove: list[Entry] = field(default_factory=list)
    make: list[Entry] = field(default_factory=list)
    modes: list[Entry] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, str] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    moves: dict[str, str] = field(default_factory=dict)

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
        return replace(self, remove=remove, make=make, modes=modes, left={**self.left, **left})


def within(path: str, some: Mapping[str, object]) -> bool:
    """Whether a path is one of some, or below one."""
    return path in some or any(above in some for above in folders_above(path))


def is_file(entry: Entry | None) -> bool:
    """Whether it is anything but a folder."""
    return entry is not None and entry.kind is not Kind.FOLDER
