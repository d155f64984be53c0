"""Whose hand changed what: how a workspace looks from outside before and after each call, noted on the disk.

A note outlives its process, so that what a killed run did is still told from what a person did. Knows no content.
"""

import json
import os
import stat
import time
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from .manifest import Entry, Kind, same
from .named import Named
from .passed import QUIET, look_inside, told_of
from .private import writable, write_whole
from .survey import TEMPORARY, Rules

Look: TypeAlias = tuple[int, ...]
Looks: TypeAlias = dict[str, Look]
Notes: TypeAlias = list[Mapping[str, object]]
GONE: Look = ()
LONGEST_CALL = 86_400  # seconds; a call of a killed run never ends


def outlook(root: Path, rules: Rules, named: Container[str]) -> Looks | None:
    """How every path looks from outside; None when there are too many."""
    looks: Looks = {}
    folders = [""]
    while folders:
        for path, look, is_folder in seen_in(root, folders.pop(), rules, named):
            looks[path] = look
            folders.extend([path] if is_folder else [])
        if len(looks) > rules.most_paths:
            return None
    return looks


def seen_in(root: Path, folder: str, rules: Rules, named: Container[str]) -> Iterator[tuple[str, Look, bool]]:
    """What stands in one folder; of one that is passed over by its name, as a whole."""
    try:
        with os.scandir(root / folder) as listing:
            there = list(listing)
    except OSError:
        return
    for item in there:
        if item.name.startswith(TEMPORARY) or item.path == rules.store:
            continue
        with suppress(OSError):
            status = item.stat(follow_symlinks=False)
            is_folder = stat.S_ISDIR(status.st_mode)
            path = f"{folder}/{item.name}" if folder else item.name
            if not (is_folder and item.name in rules.skip):
                yield path, look_of(status), is_folder
            elif item.name not in QUIET:
                yield path, look_inside(root, path, named), False


def look_of(status: os.stat_result) -> Look:
    """What changes when a path's bytes or mode do; of a folder not what is in it."""
    if stat.S_ISDIR(status.st_mode):
        return status.st_mode, status.st_ino
    return status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def changed(before: Looks, after: Looks) -> Looks:
    """The paths that look otherwise, as they look now; those that are gone look like nothing."""
    gone = dict.fromkeys(before.keys() - after.keys(), GONE)
    return gone | {path: look for path, look in after.items() if before.get(path) != look}


@dataclass(slots=True)
class Journal:
    """The notes about one workspace, of all runs since their last checkpoints. ``looks``: how it was when we looked.

    A call is named by the id of its task's run, a space, and an id of its own.
    """

    path: Path
    named: Named
    rules: Rules
    looks: Looks | None = None
    under_way: dict[str, Looks | None] = field(default_factory=dict)

    def outlook(self) -> Looks | None:
        """How the workspace looks now, with what tools named in folders that are passed over."""
        named = self.named.paths()
        looks = outlook(self.named.root, self.rules, named)
        for path in named if looks is not None else ():
            with suppress(OSError):
                looks = {**(looks or {}), path: look_of((self.named.root / path).lstat())}
        return looks

    def opened(self, call: str) -> None:
        """A call begins: what changed since we looked, while no call was under way, is a person's."""
        now = self.outlook()
        theirs: Looks = {}
        if self.looks is not None and now is not None and not self.under_way:
            fresh = self.named.paths() - self.looks.keys()  # they were not looked at before they were named
            theirs = {path: look for path, look in changed(self.looks, now).items() if path not in fresh}
        self.under_way[call] = now
        self.note({"theirs": theirs, "opened": call})

    def closed(self, call: str) -> list[str]:
        """A call is over: what changed since it began is the run's; return where nothing of that can be kept.

        What a call of another run did meanwhile, one that is over already, is that run's.
        """
        before, now = self.under_way.pop(call, None), self.outlook()
        self.looks = now
        if before is None or now is None:
            return []
        others = looks_of_others(self.notes(), call)
        ours = {path: look for path, look in changed(before, now).items() if others.get(path) != look}
        self.note({"ours": ours, "closed": call})
        return told_of(self.named.root, ours, self.rules, self.named.paths())

    def settled(self, run: str, checkpoint: str, looks: Looks | None) -> None:
        """A checkpoint was taken for a run when the workspace looked so: what was noted of the run is told by it.

        What it changed while a call of another run was under way stays noted, as done, until that call is over.
        """
        self.looks = looks
        notes = self.notes()
        others = [note for note in notes if run_of(note) != run and self.is_needed(note)]
        calls = [{"opened": call} for call in self.under_way if run_of({"opened": call}) == run]
        lines = [*others, *done_beside(notes, run), {"since": run, "checkpoint": checkpoint}, *calls]
        with writable(self.path.parent):
            write_whole(self.path, b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines))

    def is_needed(self, note: Mapping[str, object]) -> bool:
        """Whether a note may still be read: one about a checkpoint that was pruned is not, nor one done long ago."""
        if "done" in note:
            return time.time() - float(str(note["at"])) < LONGEST_CALL
        return "checkpoint" not in note or (self.path.parent / f"{note['checkpoint']}.json").exists()

    def since(self, run: str) -> str:
        """Return the last checkpoint of a run; empty where it is not known."""
        found = [str(note["checkpoint"]) for note in self.notes() if note.get("since") == run and "checkpoint" in note]
        return found[-1] if found and run else ""

    def note(self, note: Mapping[str, object]) -> None:
        """Add a line."""
        with writable(self.path.parent), self.path.open("ab") as file:
            file.write(json.dumps(note).encode("ascii") + b"\n")

    def notes(self) -> Notes:
        """All lines; one that was cut off by a crash is left out."""
        found: Notes = []
        with suppress(FileNotFoundError):
            for line in self.path.read_bytes().splitlines():
                with suppress(ValueError):
                    found.append(json.loads(line))
        return found


@dataclass(frozen=True, slots=True)
class Views:
    """A workspace at a run's last checkpoint: what was there, and how it would be without others."""

    there: Mapping[str, Entry]
    ours: Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Hands:
    """What the notes tell. ``any_call``: one never ended, so what it did is not told from the rest."""

    ours: Mapping[str, Look]
    theirs: Mapping[str, Look]
    any_call: bool

    @property
    def known(self) -> bool:
        """Whether anything was noted."""
        return bool(self.ours or self.theirs or self.any_call)

    def did(self, path: str, look: Look) -> bool:
        """Whether a path looks as a run left it, and nobody else has changed it beside the run."""
        if self.ours.get(path) == look:
            return path not in self.theirs
        return self.any_call and self.theirs.get(path) != look


def run_of(note: Mapping[str, object]) -> str:
    """Return the run that a note is about."""
    return str(note.get("since") or str(note.get("opened") or note.get("closed") or "").partition(" ")[0])


def done_beside(notes: Notes, run: str) -> Iterator[Mapping[str, object]]:
    """Return what a run did, for the calls of other runs that are under way."""
    ended = {note.get("closed") for note in notes}
    if any("opened" in note and run_of(note) != run and note["opened"] not in ended for note in notes):
        done = [noted(note, "ours") for note in notes if run_of(note) == run]
        yield from ({"done": looks, "at": time.time()} for looks in done if looks)


def looks_of_others(notes: Notes, call: str) -> Looks:
    """Return how calls of other runs left paths, those that ended since this call began."""
    began = max((place for place, note in enumerate(notes) if note.get("opened") == call), default=0)
    run = run_of({"opened": call})
    others: Looks = {}
    for note in notes[began:]:
        others.update(noted(note, "ours") | noted(note, "done") if run_of(note) != run else {})
    return others


def hands_of(notes: Notes, run: str) -> Hands:
    """Read the notes about a run in their order: who came last."""
    ours: Looks = {}
    theirs: Looks = {}
    unended: set[object] = set()
    for note in (note for note in notes if run_of(note) == run):
        ours.update(noted(note, "ours"))
        theirs.update(noted(note, "theirs"))
        unended.add(note["opened"]) if "opened" in note else unended.discard(note.get("closed"))
    return Hands(ours, theirs, bool(unended))


def noted(note: Mapping[str, object], name: str) -> Looks:
    """The looks in a note."""
    found = note.get(name)
    return {path: tuple(look) for path, look in found.items()} if isinstance(found, dict) else {}


def ours_of(before: Views, here: Mapping[str, Entry], hands: Hands, looks: Looks) -> dict[str, Entry]:
    """How a workspace would be had nobody else changed it since the run began; it holds this now.

    Of a path that the run and others changed in turn, nobody kept what is whose: its content counts as unreadable, so
    that a restore names it.
    """
    found: dict[str, Entry] = {}
    for path in sorted({*before.ours, *here}):
        was, now = before.ours.get(path), here.get(path)
        apart = not same(was, before.there.get(path))
        if same(was, now) or (not apart and hands.did(path, looks.get(path, GONE))):
            entry = now
        else:
            entry = Entry(path, Kind.UNREADABLE, 0) if path in hands.ours else was
        if entry:
            found[path] = entry
    return found
