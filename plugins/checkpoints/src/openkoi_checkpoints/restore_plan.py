"""Define the plan of a restore and the three states that it is computed from."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from openkoi_hookspecs.lazy_dataclass import dataclass

from .gitignore import parent_folders
from .manifest import PathEntry, PathKind
from .renames import Renames

CHANGED = "changed later, and the changes conflict"
REPLACED = "something else exists there now"
BLOCKED = "its folder could not be restored"
ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class RestoreStates:
    """Three states of a workspace: after the work (base), to be restored (wanted), and current (now).

    ``saved`` returns whether a path was saved with this status before a tool wrote it. ``merged`` returns what a path
    should contain, given the base (None where there was none), the wanted and the present file; None where they
    conflict.
    """

    base: Mapping[str, PathEntry]
    wanted: Mapping[str, PathEntry]
    now: Mapping[str, PathEntry]
    saved: Callable[[str, str], bool]
    merged: Callable[[PathEntry | None, PathEntry, PathEntry], PathEntry | None]
    renames: Renames
    force: bool = False

    def entries_of(self, path: str) -> tuple[PathEntry | None, PathEntry | None, PathEntry | None]:
        """Return a path's base, wanted and present entry; a file that both sides renamed alike is the same file."""
        want, here = self.wanted.get(path), self.now.get(path)
        base = self.base.get(path) or (want and here and self.renames.origin(want, here))
        return base, want, here


@dataclass(slots=True)
class RestorePlan:
    """What to remove, what to create, which modes to set, and what to leave alone, with the reason.

    ``conflicts`` are left alone because others changed them. Of the files to make, ``merged`` contain changes of
    others; ``unchanged`` files already are as wanted. ``moves`` maps the path of such a merged file to the one that it
    is removed from.
    """

    remove: list[PathEntry] = field(default_factory=list)
    make: list[PathEntry] = field(default_factory=list)
    modes: list[PathEntry] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, str] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    moves: dict[str, str] = field(default_factory=dict)

    @property
    def touched_paths(self) -> list[str]:
        """All paths that the plan changes."""
        return [entry.path for entry in (*self.remove, *self.make, *self.modes)]

    def without(self, left: Mapping[str, str]) -> "RestorePlan":
        """Return the plan without these paths and what lies below them."""
        if not left:
            return self
        remove, make, modes = (
            [entry for entry in some if not is_within(entry.path, left)]
            for some in (self.remove, self.make, self.modes)
        )
        return replace(self, remove=remove, make=make, modes=modes, left={**self.left, **left})


def is_within(path: str, some: Mapping[str, object]) -> bool:
    """Return whether a path is one of these, or below one."""
    return path in some or any(above in some for above in parent_folders(path))


def is_not_folder(entry: PathEntry | None) -> bool:
    """Return whether it is anything but a folder."""
    return entry is not None and entry.kind is not PathKind.FOLDER
