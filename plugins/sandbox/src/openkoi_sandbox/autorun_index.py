"""Find the files of a workspace that other programs run on their own; scan again only where something changed.

A folder's change time moves with every entry that is made, renamed or removed in it, and cannot be set back. The
content of such files is examined elsewhere.
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

from openkoi_base.schema import AutorunRule, find_rule, may_match_inside, may_match_name

from .sandbox_policy import is_within

STAMP_GRACE_NANOSECONDS = 50_000_000  # ns; file systems write times in steps of a clock's tick, 10 ms at most
OBJECT_FOLDER = re.compile(r"[0-9a-f]{2}|pack|info")
GIT_FILES = ("config", "config.worktree", "commondir")
GIT_CONFIG_RULE = AutorunRule((".git", "config"), "git runs the programs that it names", protected=True)
CACHE_LINK_RULE = AutorunRule(
    (".git",), "git, direnv and others run what commands put into the folder that it leads to", protected=True
)
GIT_HOOK_RULE = AutorunRule((".git", "hooks"), "git runs it at a commit, merge, checkout or push", protected=True)


@dataclass(frozen=True, slots=True)
class ScannedFolder:
    """Record a scanned folder: ``changed`` is its change time and ``looked`` the time of the scan, in nanoseconds.

    ``files`` are those that a rule matches, by name; ``git``: it is a git folder, as git itself would see it.
    """

    changed: int
    scanned: int
    top: bool
    folders: tuple[str, ...]
    files: tuple[tuple[str, AutorunRule], ...]
    git: bool

    def is_current(self, changed: int) -> bool:
        """Return whether no entry can have been added since."""
        return self.changed == changed and self.scanned - changed > STAMP_GRACE_NANOSECONDS


@dataclass(slots=True)
class AutorunIndex:
    """Index the files of one workspace that rules match.

    ``named`` are paths from the root that git's settings name. ``caches`` are folders elsewhere that commands write: a
    link to one counts as a folder with unknown content.
    """

    root: Path
    named: frozenset[str] = frozenset()
    caches: tuple[Path, ...] = ()
    folders: dict[str, ScannedFolder] = field(default_factory=dict)

    def find_files(self) -> dict[str, AutorunRule]:
        """Return the files that a rule matches now, by path from the root with ``/``."""
        before = self.tops
        self.folders = self.walk_folders()
        if before and before != self.tops:
            self.folders = {}
            self.folders = self.walk_folders()
        return {join_path(path, name): rule for path, folder in self.folders.items() for name, rule in folder.files}

    def set_named(self, paths: frozenset[str]) -> bool:
        """Set which folders of hooks, and which files, settings name; return whether that changed."""
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

    def absolute_path(self, path: str) -> str:
        """Return the absolute path of one that begins at the root; not as a Path, of which there would be many."""
        return f"{self.root}/{path}" if path else str(self.root)

    def walk_folders(self) -> dict[str, ScannedFolder]:
        """Scan all folders, parents first."""
        found: dict[str, ScannedFolder] = {}
        tops = {""}
        open_ends = [FolderVisit("")]
        while open_ends:
            step = open_ends.pop()
            folder = self.scan_if_changed(step, tops)
            if folder is None:
                continue
            found[step.path] = folder
            tops |= {step.path} if folder.top else set()
            open_ends += [step.enter(name, folder) for name in folder.folders]
        return found

    def scan_if_changed(self, step: "FolderVisit", tops: set[str]) -> ScannedFolder | None:
        """Return a folder, scanned again if it changed; None when it went away."""
        place = self.absolute_path(step.path)
        known = self.folders.get(step.path)
        try:
            changed = os.lstat(place).st_ctime_ns
            if known and known.is_current(changed):
                return known
            return self.scan_folder(step, changed, list_entries(place), tops)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def scan_folder(
        self, step: "FolderVisit", changed: int, there: "list[os.DirEntry[str]]", tops: set[str]
    ) -> ScannedFolder:
        """Scan the entries of a folder."""
        names = {entry.name.casefold() for entry in there}
        git = names >= {"objects", "refs"} or names >= {"head", "commondir"}
        top = not step.path or ".git" in names
        above = tops | {step.path} if top else tops
        folders, files = list[str](), list[tuple[str, AutorunRule]]()
        hooks, inside = step.hooks or step.path in self.named, may_match_inside(step.path)
        for entry in there:
            if entry.is_dir(follow_symlinks=False):
                folders += [] if step.objects and OBJECT_FOLDER.fullmatch(entry.name) else [entry.name]
            elif self.named and join_path(step.path, entry.name) in self.named:
                files.append((entry.name, GIT_CONFIG_RULE))
            elif self.caches and entry.is_symlink() and is_within(Path(os.path.realpath(entry.path)), self.caches):
                files.append((entry.name, CACHE_LINK_RULE))
            elif rule := rule_for(entry, step.path, above, git=git, hooks=hooks, inside=inside):
                files.append((entry.name, rule))
        return ScannedFolder(changed, time.time_ns(), top, tuple(folders), tuple(files), git)


class FolderVisit(NamedTuple):
    """Name a folder to visit: the ``hooks`` or the ``objects`` of a repository are scanned in their own way."""

    path: str
    hooks: bool = False
    objects: bool = False

    def enter(self, name: str, folder: ScannedFolder) -> "FolderVisit":
        """Return the visit of a subfolder."""
        folded = name.casefold()
        return FolderVisit(
            join_path(self.path, name), folder.git and folded == "hooks", folder.git and folded == "objects"
        )


def rule_for(
    entry: "os.DirEntry[str]", path: str, tops: set[str], *, git: bool, hooks: bool, inside: bool
) -> AutorunRule | None:
    """Return the rule that matches an entry that is not a folder."""
    if hooks or (git and entry.name.casefold() == "hooks"):
        return GIT_HOOK_RULE
    if git and entry.name.casefold() in GIT_FILES:
        return GIT_CONFIG_RULE
    if not may_match_name(entry.name) and not inside:
        return None
    return find_rule(join_path(path, entry.name), tops, link=entry.is_symlink())


def list_entries(place: str) -> "list[os.DirEntry[str]]":
    """Return the entries of a folder.

    One without read permission is opened briefly, because it can be entered unseen.
    """
    try:
        return scan_entries(place)
    except PermissionError:
        mode = stat.S_IMODE(os.lstat(place).st_mode)
        with contextlib.suppress(OSError), with_mode(place, mode):
            return scan_entries(place)
        return []


@contextlib.contextmanager
def with_mode(place: str, mode: int) -> Iterator[None]:
    """Set the mode of one of the user's folders, and restore it afterwards."""
    os.chmod(place, mode | 0o700)  # noqa: PTH101  # as it comes from the walk
    try:
        yield
    finally:
        os.chmod(place, mode)  # noqa: PTH101


def scan_entries(place: str) -> "list[os.DirEntry[str]]":
    with os.scandir(place) as listing:
        return list(listing)


def join_path(path: str, name: str) -> str:
    """Return the path of an entry of a folder."""
    return f"{path}/{name}" if path else name
