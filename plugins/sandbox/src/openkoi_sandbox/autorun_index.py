"""Find the files of a workspace that other programs run by themselves; look again only where something changed.

A folder's change time moves with every entry that is made, renamed or removed in it, and cannot be set back. What is
in such a file is looked at elsewhere.
"""

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from openkoi_schema import Rule, may_hold, may_run, rule_of

from .policy import is_within

SETTLED = 50_000_000  # ns; file systems write times in steps of a clock's tick, 10 ms at most
OBJECTS = re.compile(r"[0-9a-f]{2}|pack|info")
GIT_FILES = ("config", "config.worktree", "commondir")
GIT = Rule((".git", "config"), "git runs the programs that it names", protected=True)
CACHE = Rule((".git",), "git, direnv and others run what commands put into the folder that it leads to", protected=True)
HOOK = Rule((".git", "hooks"), "git runs it at a commit, merge, checkout or push", protected=True)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder as it was looked at: ``changed`` is its change time and ``looked`` when that was, in nanoseconds.

    ``files`` are those that a rule means, by name; ``git``: it is a git folder, as git itself would see it.
    """

    changed: int
    looked: int
    top: bool
    folders: tuple[str, ...]
    files: tuple[tuple[str, Rule], ...]
    git: bool

    def is_still(self, changed: int) -> bool:
        """Return whether nothing can have come into it since."""
        return self.changed == changed and self.looked - changed > SETTLED


@dataclass(slots=True)
class AutorunIndex:
    """The files of one workspace that rules mean. ``named`` are paths from the root that git's settings name.

    ``caches`` are folders elsewhere that commands write: a link to one is as good as a folder with anything in it.
    """

    root: Path
    named: frozenset[str] = frozenset()
    caches: tuple[Path, ...] = ()
    folders: dict[str, Folder] = field(default_factory=dict)

    def find(self) -> dict[str, Rule]:
        """Return the files that a rule means now, by path from the root with ``/``."""
        before = self.tops
        self.folders = self.walk()
        if before and before != self.tops:
            self.folders = {}
            self.folders = self.walk()
        return {below(path, name): rule for path, folder in self.folders.items() for name, rule in folder.files}

    def name(self, paths: frozenset[str]) -> bool:
        """Take over which folders of hooks, and which files, settings name; return whether that changed."""
        changed = paths ^ self.named
        for path in changed:
            self.folders.pop(path, None)
            self.folders.pop(path.rpartition("/")[0], None)
        self.named = paths
        return bool(changed)

    @property
    def git_folders(self) -> frozenset[str]:
        """Return the folders that git would take for a repository."""
        return frozenset(path for path, folder in self.folders.items() if folder.git)

    @property
    def tops(self) -> frozenset[str]:
        """Return the folders that are the top of the workspace or of a repository."""
        return frozenset(path for path, folder in self.folders.items() if folder.top)

    def absolute(self, path: str) -> str:
        """Return the whole of a path that begins at the root; not as a Path, of which there would be many."""
        return f"{self.root}/{path}" if path else str(self.root)

    def walk(self) -> dict[str, Folder]:
        """Go through all folders, each before those in it."""
        found: dict[str, Folder] = {}
        tops = {""}
        open_ends = [Step("")]
        while open_ends:
            step = open_ends.pop()
            folder = self.look(step, tops)
            if folder is None:
                continue
            found[step.path] = folder
            tops |= {step.path} if folder.top else set()
            open_ends += [step.into(name, folder) for name in folder.folders]
        return found

    def look(self, step: "Step", tops: set[str]) -> Folder | None:
        """Return a folder, looked at again if it changed; None when it went away."""
        place = self.absolute(step.path)
        known = self.folders.get(step.path)
        try:
            changed = os.lstat(place).st_ctime_ns
            if known and known.is_still(changed):
                return known
            return self.read(step, changed, opened(place), tops)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, step: "Step", changed: int, there: "list[os.DirEntry[str]]", tops: set[str]) -> Folder:
        """Look at what is in a folder."""
        names = {entry.name.casefold() for entry in there}
        git = names >= {"objects", "refs"} or names >= {"head", "commondir"}
        top = not step.path or ".git" in names
        above = tops | {step.path} if top else tops
        folders, files = list[str](), list[tuple[str, Rule]]()
        hooks, inside = step.hooks or step.path in self.named, may_hold(step.path)
        for entry in there:
            if entry.is_dir(follow_symlinks=False):
                folders += [] if step.objects and OBJECTS.fullmatch(entry.name) else [entry.name]
            elif self.named and below(step.path, entry.name) in self.named:
                files.append((entry.name, GIT))
            elif self.caches and entry.is_symlink() and is_within(Path(os.path.realpath(entry.path)), self.caches):
                files.append((entry.name, CACHE))
            elif rule := rule_for(entry, step.path, above, git=git, hooks=hooks, inside=inside):
                files.append((entry.name, rule))
        return Folder(changed, time.time_ns(), top, tuple(folders), tuple(files), git)


class Step(NamedTuple):
    """A folder to go into: the ``hooks`` or the ``objects`` of a repository are looked at in their own way."""

    path: str
    hooks: bool = False
    objects: bool = False

    def into(self, name: str, folder: Folder) -> "Step":
        """Return the step into a folder in it."""
        folded = name.casefold()
        return Step(below(self.path, name), folder.git and folded == "hooks", folder.git and folded == "objects")


def rule_for(
    entry: "os.DirEntry[str]", path: str, tops: set[str], *, git: bool, hooks: bool, inside: bool
) -> Rule | None:
    """Return the rule that means an entry that is not a folder."""
    if hooks or (git and entry.name.casefold() == "hooks"):
        return HOOK
    if git and entry.name.casefold() in GIT_FILES:
        return GIT
    if not may_run(entry.name) and not inside:
        return None
    return rule_of(below(path, entry.name), tops, link=entry.is_symlink())


def opened(place: str) -> "list[os.DirEntry[str]]":
    """Return what is in a folder; one that was closed is opened for the moment, because it can be entered unseen."""
    try:
        return listed(place)
    except PermissionError:
        mode = stat.S_IMODE(os.lstat(place).st_mode)
        with contextlib.suppress(OSError), changed_mode(place, mode):
            return listed(place)
        return []


@contextlib.contextmanager
def changed_mode(place: str, mode: int) -> Iterator[None]:
    """Open a folder of ours, and close it again."""
    os.chmod(place, mode | 0o700)  # noqa: PTH101  # as it comes from the walk
    try:
        yield
    finally:
        os.chmod(place, mode)  # noqa: PTH101


def listed(place: str) -> "list[os.DirEntry[str]]":
    with os.scandir(place) as listing:
        return list(listing)


def below(path: str, name: str) -> str:
    """Return the path of an entry of a folder."""
    return f"{path}/{name}" if path else name
