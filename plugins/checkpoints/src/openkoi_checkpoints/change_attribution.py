"""Attribute changes to calls: compare the workspace before and after each call, as recorded on disk.

A record outlives its process, so that changes of a killed run are still distinguished from those of the user.
"""

import json
import math
import os
import stat
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from openkoi_base.files import write_atomically
from openkoi_hookspecs.lazy_dataclass import dataclass

from .errors import store_errors
from .manifest import PathEntry, is_unchanged, mix_changes
from .named_paths import NamedPaths
from .other_calls import (
    CallAtOnce,
    CallChanges,
    Look,
    Notes,
    OpenCall,
    StatSnapshot,
    divide_changes,
    open_calls_of_others,
    paths_in_doubt,
    run_of,
    snapshot_of,
)
from .process_end import ProcessEnd
from .scan import TEMPORARY_PREFIX, ScanRules
from .skipped_folders import UNREPORTED_FOLDERS, skipped_folders_of, walk_status

GONE: Look = ()
MAX_CALL_SECONDS = 86_400  # seconds; a call of a killed run never ends


def take_stat_snapshot(root: Path, rules: ScanRules, named: Container[str]) -> StatSnapshot | None:
    """Return the file status of every path; None when there are too many."""
    looks: StatSnapshot = {}
    folders = [""]
    while folders:
        for path, look, is_folder in scan_folder(root, folders.pop(), rules, named):
            looks[path] = look
            folders.extend([path] if is_folder else [])
        if len(looks) > rules.most_paths:
            return None
    return looks


def scan_folder(root: Path, folder: str, rules: ScanRules, named: Container[str]) -> Iterator[tuple[str, Look, bool]]:
    """Yield the paths of one folder and their status; a folder skipped by name counts as a whole."""
    try:
        with os.scandir(root / folder) as listing:
            there = list(listing)
    except OSError:
        return
    for item in there:
        if item.name.startswith(TEMPORARY_PREFIX) or item.path == rules.store:
            continue
        with suppress(OSError):
            status = item.stat(follow_symlinks=False)
            is_folder = stat.S_ISDIR(status.st_mode)
            path = f"{folder}/{item.name}" if folder else item.name
            if not (is_folder and item.name in rules.skip):
                yield path, status_key(status), is_folder
            elif item.name not in UNREPORTED_FOLDERS:
                yield path, walk_status(root, path, named), False


def status_key(status: os.stat_result) -> Look:
    """Return a path's status, which changes with its bytes or mode; for a folder, not with its content."""
    if stat.S_ISDIR(status.st_mode):
        return status.st_mode, status.st_ino
    return status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def changed_paths(before: StatSnapshot, after: StatSnapshot) -> StatSnapshot:
    """Return the paths whose status differs, with their current status; deleted paths have none."""
    gone = dict.fromkeys(before.keys() - after.keys(), GONE)
    return gone | {path: look for path, look in after.items() if before.get(path) != look}


@dataclass(slots=True)
class ChangeJournal:
    """Record the changes of one workspace by all runs since their last checkpoints; ``looks`` is the last snapshot.

    A call is named by the id of its task's run, a space, and an id of its own.
    """

    path: Path
    named: NamedPaths
    rules: ScanRules
    process: ProcessEnd
    looks: StatSnapshot | None = None
    open_calls: dict[str, OpenCall] = field(default_factory=dict)

    def take_snapshot(self) -> StatSnapshot | None:
        """Return the snapshot of the workspace, including paths in skipped folders that tools wrote by name."""
        named = self.named.paths()
        looks = take_stat_snapshot(self.named.root, self.rules, named)
        for path in named if looks is not None else ():
            with suppress(OSError):
                looks = {**(looks or {}), path: status_key((self.named.root / path).lstat())}
        return looks

    def start_call(self, call: str, writes: Sequence[str] = ()) -> None:
        """Begin a call: changes since the last snapshot, when no call was open, are the user's.

        ``writes`` are the paths that it writes, if that is known.
        """
        now = self.take_snapshot()
        theirs: StatSnapshot = {}
        if self.looks is not None and now is not None and not self.open_calls:
            fresh = self.named.paths() - self.looks.keys()  # they were not looked at before they were named
            theirs = {path: look for path, look in changed_paths(self.looks, now).items() if path not in fresh}
        self.open_calls[call] = OpenCall(now, writes)
        self.append({"theirs": theirs, "opened": call, "process": self.process.start_call(call), "writes": writes})

    def finish_call(self, call: str) -> CallChanges:
        """End a call: changes since it began are the run's; return those that are in doubt or not stored.

        If a call of another run ended meanwhile, its changes belong to that run. If such a call was still open, so do
        all changes outside the paths that this call writes.
        """
        self.process.finish_call(call)
        begun, now, notes = self.open_calls.pop(call, OpenCall()), self.take_snapshot(), self.read_records()
        self.looks = now
        if begun.looks is None or now is None:
            return CallChanges()
        at_once = [
            one for one in open_calls_of_others(notes, call) if self.process.is_running(str(one.get("process", "")))
        ]
        found = divide_changes(changed_paths(begun.looks, now), notes, CallAtOnce(call, begun.writes, at_once))
        self.append({"ours": found.ours, "closed": call, "in_doubt": found.in_doubt})
        skipped = skipped_folders_of(self.named.root, found.ours, self.rules, self.named.paths())
        return CallChanges(skipped, found.in_doubt)

    def interrupt_call(self, call: str, at: int) -> None:
        """Record that a call was cut off at a time in nanoseconds: later changes are not its run's."""
        self.process.finish_call(call)
        self.open_calls.pop(call, None)
        self.looks = None
        self.append({"interrupted": call, "at": at})

    def record_checkpoint(self, run: str, checkpoint: str, looks: StatSnapshot | None) -> None:
        """Record a checkpoint of a run and its snapshot, which replaces earlier records of the run.

        What the run changed while a call of another run was open stays recorded until that call is over.
        """
        self.looks = looks
        notes = self.read_records()
        others = [note for note in notes if run_of(note) != run and self.is_needed(note)]
        opened = [
            {"opened": call, "process": self.process.name, "writes": one.writes}
            for call, one in self.open_calls.items()
        ]
        calls = [note for note in opened if run_of(note) == run]
        lines = [*others, *changes_during_calls(notes, run), {"since": run, "checkpoint": checkpoint}, *calls]
        with store_errors(self.path.parent):
            write_atomically(self.path, b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines))

    def is_needed(self, note: Mapping[str, object]) -> bool:
        """Return whether a record may still be needed: its checkpoint was not pruned, its call is not long over."""
        if "done" in note:
            return time.time() - float(str(note["at"])) < MAX_CALL_SECONDS
        return "checkpoint" not in note or (self.path.parent / f"{note['checkpoint']}.json").exists()

    def attribute_changes(self, run: str, looks: StatSnapshot | None) -> "ChangeAttribution":
        """Attribute the changes since a run's last checkpoint, up to this snapshot."""
        found = attribute_changes(self.read_records(), run)
        ended_at = max(map(self.ended_at, found.unended), default=math.inf)
        return replace(found, late=changed_after(self.named.root, looks or {}, ended_at))

    def ended_at(self, end: str | int) -> float:
        """Return the latest time at which a call can have ended: when it was interrupted, or its process ended."""
        return end if isinstance(end, int) else self.process.ended_at(end)

    def last_checkpoint(self, run: str) -> str:
        """Return the last checkpoint of a run; empty if unknown."""
        found = [
            str(note["checkpoint"]) for note in self.read_records() if note.get("since") == run and "checkpoint" in note
        ]
        return found[-1] if found and run else ""

    def append(self, note: Mapping[str, object]) -> None:
        """Append a record."""
        with store_errors(self.path.parent), self.path.open("ab") as file:
            file.write(json.dumps(note).encode("ascii") + b"\n")

    def read_records(self) -> Notes:
        """Return all records; skip one that was truncated by a crash, and what is not a record."""
        found: Notes = []
        with suppress(FileNotFoundError):
            for line in self.path.read_bytes().splitlines():
                with suppress(ValueError):
                    found.append(json.loads(line))
        return [note for note in found if isinstance(note, dict)]


@dataclass(frozen=True, slots=True)
class CheckpointViews:
    """A workspace at a run's last checkpoint: as it was, and without the changes of others."""

    present: Mapping[str, PathEntry]
    ours: Mapping[str, PathEntry]


@dataclass(frozen=True, slots=True)
class ChangeAttribution:
    """Attribute paths to a run or to others.

    ``unended`` has the processes of calls that never ended, or when a call was interrupted: what else changed is
    theirs, except ``late`` paths, which changed after those processes or calls had ended.
    """

    ours: Mapping[str, Look]
    theirs: Mapping[str, Look]
    unended: frozenset[str | int]
    late: Container[str] = ()

    @property
    def is_known(self) -> bool:
        """Whether anything was recorded."""
        return bool(self.ours or self.theirs or self.unended)

    def changed_by_run(self, path: str, look: Look) -> bool:
        """Return whether a path has the status in which a run left it."""
        if self.ours.get(path) == look:
            return path not in self.theirs
        return bool(self.unended) and path not in self.late and self.theirs.get(path) != look


def changes_during_calls(notes: Notes, run: str) -> Iterator[Mapping[str, object]]:
    """Yield what a run did while calls of other runs were open."""
    ended = {note.get(name) for note in notes for name in ("closed", "interrupted")}
    if any("opened" in note and run_of(note) != run and note["opened"] not in ended for note in notes):
        done = [(snapshot_of(note, "ours"), paths_in_doubt(note)) for note in notes if run_of(note) == run]
        yield from ({"done": looks, "in_doubt": doubt, "at": time.time()} for looks, doubt in done if looks)


def attribute_changes(notes: Notes, run: str) -> ChangeAttribution:
    """Read a run's records in order: the last writer of a path owns it."""
    ours: StatSnapshot = {}
    theirs: StatSnapshot = {}
    unended: dict[object, str | int] = {}
    for note in (note for note in notes if run_of(note) == run):
        ours.update(snapshot_of(note, "ours"))
        theirs.update(snapshot_of(note, "theirs"))
        unended.pop(note.get("closed"), None)
        unended.update({note["opened"]: str(note.get("process", ""))} if "opened" in note else {})
        unended.update({note["interrupted"]: int(str(note["at"]))} if "interrupted" in note else {})
    return ChangeAttribution(ours, theirs, frozenset(unended.values()))


def changed_after(root: Path, looks: StatSnapshot, ended_at: float) -> frozenset[str]:
    """Return the paths whose status changed after a time in nanoseconds; when one was deleted is not known."""
    if ended_at == math.inf:
        return frozenset()
    return frozenset(path for path, look in looks.items() if changed_at(root / path, look) > ended_at)


def changed_at(path: Path, look: Look) -> int:
    """Return when a path's status changed, in nanoseconds; 0 if that is unknown."""
    if stat.S_ISDIR(look[0]):
        return path.lstat().st_ctime_ns if path.is_dir() else 0
    return look[3]


def entries_without_others(
    before: CheckpointViews, here: Mapping[str, PathEntry], hands: ChangeAttribution, looks: StatSnapshot
) -> dict[str, PathEntry]:
    """Return a workspace's state without the changes that others made since the run began.

    Where a run and others changed a path in turn, the content is not separable: it counts as unreadable, so that a
    restore reports it; a diff shows all changes of the path.
    """
    found: dict[str, PathEntry] = {}
    for path in sorted({*before.ours, *here}):
        was, now = before.ours.get(path), here.get(path)
        apart = not is_unchanged(was, before.present.get(path))
        if is_unchanged(was, now) or (not apart and hands.changed_by_run(path, looks.get(path, GONE))):
            entry = now
        else:
            entry = mix_changes(path, now) if path in hands.ours else was
        if entry:
            found[path] = entry
    return found
