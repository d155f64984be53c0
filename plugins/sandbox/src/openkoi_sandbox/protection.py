"""Protect files that other programs run while commands run in a workspace, whichever program writes to them.

The files are scanned before a command and after it, when no process of it is left. Changes are undone, and new files
are moved to a folder that no program reads. What a sandbox itself made read-only is only scanned: a change of it was
made by another program.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from secrets import token_hex

from openkoi_base.schema.autorun import AutorunRule
from openkoi_base.schema.autorun_index import AutorunIndex
from openkoi_base.schema.named_files import find_autorun_files
from openkoi_hookspecs.lazy_dataclass import dataclass

from .events import Protected
from .file_state import FileState, capture_state, move_aside, restore_state
from .planted_changes import PlantedChange, ProtectedView, find_planted, runs_nothing_new
from .private_dirs import PrivateDirs
from .process_notes import ProcessNote, ProcessNotes, reduce_state
from .sandbox_policy import is_within

KILLED_NOTE = "OpenKoi was killed first; review the file"


@dataclass(slots=True)
class Protection:
    """Watch a workspace, and git folders elsewhere that its commands write.

    ``aside`` is for what is moved. ``announced``: the log says already that the sandbox in use cannot refuse changes.
    """

    root: Path
    aside: Path
    indexes: dict[Path, AutorunIndex] = field(default_factory=dict)
    known: dict[str, FileState] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    before: ProtectedView = field(default_factory=ProtectedView)
    running: list[Sequence[Path]] = field(default_factory=list)
    held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    announced: bool = False
    left: list[Protected] = field(default_factory=list)

    def begin(self, private: PrivateDirs, approved: Sequence[Path]) -> ProtectedView:
        """Record the state before a command; of concurrent commands the first one's view counts for all."""
        with self.lock, self.notes.lock_workspace():
            if not self.running:
                self.held.enter_context(self.notes.hold_running())
                self.before = merge_notes(self.scan(private), self.notes.other_notes())
                self.left += self.changes_left_by_killed()
            else:
                self.before = apply_note(self.before, self.notes.own_note())
            self.running.append(approved)
            self.write_note()
            return self.before

    def end(self, private: PrivateDirs, *, approved: Sequence[Path], sealed: "ReadOnlySeal") -> list[Protected]:
        """Undo the planted changes of a command; return them.

        What the user approved for it, or for another command that runs now, stays, and is known to all from now on.
        """
        with self.lock, self.notes.lock_workspace():
            before = apply_note(self.before, self.notes.own_note())
            left, self.left = self.left, []
            after = self.scan(private).add_missing_states(before)
            allowed = [*(path for some in self.running for path in some), *self.approved_elsewhere()]
            found = find_planted(before, after, lambda path: is_within(Path(path), allowed))
            planted = [one for one in found if not sealed.is_sealed(one.path)]
            agreed = {one.path: (one.after, one.reason) for one in planted if is_within(Path(one.path), approved)}
            undone = [*left, *(self.undo_change(one) for one in planted if not is_within(Path(one.path), allowed))]
            self.running.remove(approved)
            self.before = before
            with contextlib.suppress(OSError):
                self.notes.update_states(agreed)
            if not self.running:
                self.notes.clear()
                self.held.close()
            return undone

    def write_note(self) -> None:
        """Record, for other processes, the earlier state and the current approvals."""
        reasons = {path: self.before.rules[path].reason for path in self.before.states}
        approved = dict.fromkeys(str(path) for some in self.running for path in some)
        self.notes.write(ProcessNote(self.before.states, reasons, tuple(approved)))

    def approved_elsewhere(self) -> Iterator[Path]:
        """Return the paths that users of other processes approved for commands that run now."""
        return (Path(path) for note in self.notes.other_notes() for path in note.approved)

    @property
    def notes(self) -> ProcessNotes:
        """The notes for other processes."""
        return ProcessNotes(self.aside, self.root)

    def changes_left_by_killed(self) -> Iterator[Protected]:
        """Return what changed during commands of a killed OpenKoi; it stays, as the user may have changed it since."""
        for path in self.notes.changed_by_killed(self.before.states):
            if not runs_nothing_new(path, self.before.states[path], self.before):
                relative = os.path.relpath(path, self.root)
                yield Protected(relative, self.before.rules[path].reason, trouble=KILLED_NOTE)

    def scan(self, private: PrivateDirs) -> ProtectedView:
        """Scan all protected files."""
        found: dict[str, AutorunRule] = {}
        for root in (self.root, *private.git):
            caches = tuple(path for path in private.writable if not path.is_relative_to(root))
            index = self.indexes.setdefault(root, AutorunIndex(root, caches=caches))
            files = find_autorun_files(index)
            found |= {index.absolute_path(path): rule for path, rule in files.items() if rule.protected}
        view = build_view(self.indexes.values(), found, self.known)
        self.known = dict(view.states)
        return view

    def undo_change(self, planted: PlantedChange) -> Protected:
        """Restore one file, or move it away."""
        path = Path(planted.path)
        relative = str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
        kept = self.aside / token_hex(4) / path.name
        try:
            if os.path.lexists(path):
                move_aside(planted.path, kept)
            if planted.before:
                restore_state(planted.path, planted.before)
            else:
                self.remove_empty_folders(path.parent)
        except OSError as error:
            return Protected(relative, planted.reason, trouble=str(error))
        return Protected(
            relative, planted.reason, kept=str(kept) if planted.after else "", restored=bool(planted.before)
        )

    def remove_empty_folders(self, folder: Path) -> None:
        """Remove folders that the command made, and that are empty now."""
        with contextlib.suppress(OSError):
            while str(folder) not in self.before.folders:
                folder.rmdir()
                folder = folder.parent


def build_view(
    indexes: Iterable[AutorunIndex], found: Mapping[str, AutorunRule], known: Mapping[str, FileState]
) -> ProtectedView:
    """Return the present state of these files; unchanged files in ``known`` are not read again."""
    taken = time.time_ns()
    states = {path: state for path in found if (state := capture_state(path, known.get(path)))}
    indexes = tuple(indexes)
    folders = {index.absolute_path(path): one.inode for index in indexes for path, one in index.folders.items()}
    git_folders = frozenset(index.absolute_path(path) for index in indexes for path in index.git_folders)
    named = tuple((str(index.root), index.named) for index in indexes)
    return ProtectedView(states, found, folders, git_folders, named, taken)


def merge_notes(view: ProtectedView, notes: Sequence[ProcessNote]) -> ProtectedView:
    """Return the states before other processes' running commands began, the oldest first."""
    for note in reversed(notes):
        view = replace(apply_note(view, note), taken=0)
    return view


def apply_note(view: ProtectedView, note: ProcessNote) -> ProtectedView:
    """Return a view with the earlier states from a note; without a process, the note is empty."""
    if not note.process:
        return view
    now = {path: state for path, state in view.states.items() if reduce_state(state) == note.states.get(path)}
    rules = {path: AutorunRule((os.path.basename(path),), reason) for path, reason in note.reasons.items()}  # noqa: PTH119
    return replace(view, states={**note.states, **now}, rules={**rules, **view.rules})


class ProtectionFactory:
    """Make protections, one for each workspace. ``aside`` is where they move files to."""

    def __init__(self, aside: Path) -> None:
        self.aside = aside
        self.made: dict[Path, Protection] = {}
        self.making = threading.Lock()

    def protection_for(self, root: Path) -> Protection:
        """Return the protection of a workspace."""
        with self.making:
            root = root.resolve()
            return self.made.setdefault(root, Protection(root, self.aside))


@dataclass(frozen=True, slots=True)
class ReadOnlySeal:
    """Record what a sandbox makes read-only: paths, each with the folder that it was in when the command began."""

    places: Mapping[Path, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def seal_paths(cls, places: Iterable[Path]) -> "ReadOnlySeal":
        """Seal these paths."""
        return cls({place: folder_identity(place.parent) for place in places})

    def is_sealed(self, path: str) -> bool:
        """Return whether a command could not have changed a path."""
        return any(
            Path(path).is_relative_to(place) and folder_identity(place.parent) == before
            for place, before in self.places.items()
        )


def folder_identity(folder: Path) -> tuple[int, int]:
    """Return the device and inode of a folder; if it does not exist, a value that no folder has."""
    with contextlib.suppress(OSError):
        status = folder.lstat()
        return status.st_dev, status.st_ino
    return -1, -1
