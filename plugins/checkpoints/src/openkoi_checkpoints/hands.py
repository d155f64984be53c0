"""Whose hand changed what: how a workspace looks from outside before and after each call, noted on the disk.

A note outlives its process, so that what a killed run did is still told from what a person did. Knows no content.
"""

import json
import os
import stat
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from .manifest import Entry, same
from .named import Named
from .passed import QUIET, look_inside, told_of
from .private import writable
from .survey import TEMPORARY, Rules

Look: TypeAlias = tuple[int, ...]
Looks: TypeAlias = dict[str, Look]
Notes: TypeAlias = list[Mapping[str, object]]
GONE: Look = ()


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
    """The notes about one workspace since its last checkpoint. ``looks``: how it was when we last looked."""

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
        """A call is over: what changed since it began is the run's; return where nothing of that can be kept."""
        before, now = self.under_way.pop(call, None), self.outlook()
        self.looks = now
        if before is None or now is None:
            return []
        ours = changed(before, now)
        self.note({"ours": ours, "closed": call})
        return told_of(self.named.root, ours, self.rules, self.named.paths())

    def settled(self, looks: Looks | None) -> None:
        """A checkpoint was taken when the workspace looked so: what was noted is told by it."""
        carried = Carried.of(self.notes())
        self.looks = looks
        self.path.unlink(missing_ok=True)
        if carried.theirs:
            self.note({"theirs": carried.theirs, "since": carried.run})
        for call in self.under_way:
            self.note({"opened": call})

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
class Hands:
    """What the notes tell. ``any_call``: one never ended, so what it did is not told from the rest."""

    ours: Mapping[str, Look]
    theirs: Mapping[str, Look]
    any_call: bool

    def did(self, path: str, look: Look) -> bool:
        """Whether a path looks as a run left it, and nobody else has changed it beside the run."""
        if self.ours.get(path) == look:
            return path not in self.theirs
        return self.any_call and self.theirs.get(path) != look


@dataclass(frozen=True, slots=True)
class Carried:
    """What a person changed while a run was under way: of that run's own changes it stays apart to the run's end."""

    theirs: Looks
    run: str

    @classmethod
    def of(cls, notes: Notes) -> "Carried":
        """Read the notes in their order; the calls of another run begin anew."""
        theirs: Looks = {}
        run = ""
        for note in notes:
            now = str(note.get("since") or str(note.get("opened", "")).partition(" ")[0] or run)
            theirs = theirs if run in ("", now) else {}
            theirs.update(noted(note, "theirs"))
            run = now
        return cls(theirs, run)


def hands_of(notes: Notes) -> Hands:
    """Read the notes in their order: who came last."""
    ours: Looks = {}
    unended: set[object] = set()
    for note in notes:
        ours.update(noted(note, "ours"))
        unended.add(note["opened"]) if "opened" in note else unended.discard(note.get("closed"))
    return Hands(ours, Carried.of(notes).theirs, bool(unended))


def noted(note: Mapping[str, object], name: str) -> Looks:
    """The looks in a note."""
    found = note.get(name)
    return {path: tuple(look) for path, look in found.items()} if isinstance(found, dict) else {}


def ours_of(was: Mapping[str, Entry], here: Mapping[str, Entry], hands: Hands, looks: Looks) -> dict[str, Entry]:
    """What a workspace holds by our own hand, when it was ``was`` before and holds this: others' changes left out."""
    found: dict[str, Entry] = {}
    for path in sorted({*was, *here}):
        before, now = was.get(path), here.get(path)
        ours = same(before, now) or hands.did(path, looks.get(path, GONE))
        if entry := now if ours else before:
            found[path] = entry
    return found
