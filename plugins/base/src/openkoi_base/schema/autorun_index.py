"""Find the files of a workspace that other programs run automatically; rescan only folders that changed.

A folder's change time moves with every entry that is made, renamed or removed in it, and cannot be set back. The
content of such files is examined elsewhere.
"""

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import NamedTuple

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .autorun import AutorunRule, AutorunRules, rules_for

STAMP_GRACE_NANOSECONDS = 50_000_000  # ns; file systems write times in steps of a clock's tick, 10 ms at most
OBJECT_FOLDER = lazy_pattern(r"[0-9a-f]{2}|pack|info")
GIT_FILES = ("config", "config.worktree", "commondir")
GIT_CONFIG_RULE = AutorunRule((".git", "config"), "git runs the programs it names", protected=True, at_once=True)
CACHE_LINK_RULE = AutorunRule(
    (".git",),
    "git, direnv and others run files in the folder that it links to",
    protected=True,
    at_once=True,
)
GIT_HOOK_RULE = AutorunRule(
    (".git", "hooks"), "git runs it on commit, merge, checkout or push", below=True, protected=True, at_once=True
)
HOOK_NAME = lazy_pattern(r"[^.]+(\.exe)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ScannedFolder:
    """A scanned folder: ``changed`` is its change time and ``scanned`` the time of the scan, in nanoseconds.

    ``files`` are those that a rule matches, by name; ``links`` are those of them that are symbolic links. ``git``: it
    is a git folder, as git itself would see it.
    """

    changed: int
    inode: int
    scanned: int
    top: bool
    folders: tuple[str, ...]
    files: tuple[tuple[str, AutorunRule], ...]
    links: tuple[str, ...]
    git: bool

    def is_current(self, changed: int) -> bool:
        """Whether no entry can have been added since the scan."""
        return self.changed == changed and self.scanned - changed > STAMP_GRACE_NANOSECONDS


@dataclass(slots=True)
class AutorunIndex:
    """The files of one workspace that rules match.

    ``named`` are paths from the root, in small letters, that links, hooks and settings of git name, with what they are
    then. ``caches`` are folders elsewhere that commands write: a link to one counts as a folder with unknown content.
    """

    root: Path
    named: Mapping[str, AutorunRule] = field(default_factory=dict)
    caches: tuple[Path, ...] = ()
    folders: dict[str, ScannedFolder] = field(default_factory=dict)

    @property
    def rules(self) -> AutorunRules:
        """The rules for this workspace."""
        return rules_for(self.root)

    def find_files(self) -> dict[str, AutorunRule]:
        """Return the files that a rule matches now, by path from the root with ``/``."""
        before = self.tops
        self.folders = self.walk_folders()
        if before and before != self.tops:
            self.folders = {}
            self.folders = self.walk_folders()
        return {join_path(path, name): rule for path, folder in self.folders.items() for name, rule in folder.files}

    def set_named(self, named: Mapping[str, AutorunRule]) -> bool:
        """Set the files that links, hooks and settings name; return whether they changed."""
        changed = {path for path in {*named, *self.named} if named.get(path) != self.named.get(path)}
        above = {path.rpartition("/")[0] for path in changed}
        self.folders = {
            path: folder
            for path, folder in self.folders.items()
            if not changed or not (path.casefold() in above or any(is_inside(path.casefold(), one) for one in changed))
        }
        self.named = named
        return bool(changed)

    def named_rule(self, path: str) -> AutorunRule | None:
        """Return the rule of a file, or of a folder around it, that another file names."""
        return named_rule(self.named, path)

    def rule_at(self, path: str) -> AutorunRule | None:
        """Return the rule of a file by its path alone, whether it exists or not."""
        return stronger_rule(self.named_rule(path), self.rules.find(path, self.tops or {""}))

    @property
    def links(self) -> frozenset[str]:
        """Return the files that are symbolic links."""
        return frozenset(join_path(path, name) for path, folder in self.folders.items() for name in folder.links)

    @property
    def git_folders(self) -> frozenset[str]:
        """Return the folders that git would treat as a repository."""
        return frozenset(path for path, folder in self.folders.items() if folder.git)

    @property
    def tops(self) -> frozenset[str]:
        """Return the folders that are the top of the workspace or of a repository."""
        return frozenset(path for path, folder in self.folders.items() if folder.top)

    def absolute_path(self, path: str) -> str:
        """Return the absolute path of a path from the root; as a string, because there are many."""
        return f"{self.root}/{path}" if path else str(self.root)

    def walk_folders(self) -> dict[str, ScannedFolder]:
        """Scan all folders, parents first."""
        found: dict[str, ScannedFolder] = {}
        tops, rules = {""}, self.rules
        open_ends = [FolderVisit("")]
        while open_ends:
            step = open_ends.pop()
            folder = self.scan_if_changed(step, tops, rules)
            if folder is None:
                continue
            found[step.path] = folder
            tops |= {step.path} if folder.top else set()
            open_ends += [step.enter(name, folder, self.named) for name in folder.folders]
        return found

    def scan_if_changed(self, step: "FolderVisit", tops: set[str], rules: AutorunRules) -> ScannedFolder | None:
        """Return a folder, scanned again if it changed; None if it no longer exists."""
        place = self.absolute_path(step.path)
        known = self.folders.get(step.path)
        try:
            status = os.lstat(place)
            if known and known.is_current(status.st_ctime_ns):
                return known
            return self.scan_folder(step, status, list_entries(place), Surroundings(tops, rules))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def scan_folder(
        self, step: "FolderVisit", status: os.stat_result, there: "list[os.DirEntry[str]]", around: "Surroundings"
    ) -> ScannedFolder:
        """Scan the entries of a folder."""
        names = {entry.name.casefold() for entry in there}
        git = names >= {"objects", "refs"} or names >= {"head", "commondir"}
        top = not step.path or ".git" in names
        place = FolderPlace(step, git, around.rules.may_match_inside(step.path), around.with_top(step.path, top=top))
        folders, files, links = list[str](), list[tuple[str, AutorunRule]](), list[str]()
        for entry in there:
            if entry.is_dir(follow_symlinks=False):
                folders += [] if step.objects and OBJECT_FOLDER.fullmatch(entry.name) else [entry.name]
            elif rule := self.rule_for(entry, place):
                files.append((entry.name, rule))
                links += [entry.name] if entry.is_symlink() else []
        found = tuple(folders), tuple(files), tuple(links)
        return ScannedFolder(status.st_ctime_ns, status.st_ino, time.time_ns(), top, *found, git)

    def rule_for(self, entry: "os.DirEntry[str]", place: "FolderPlace") -> AutorunRule | None:
        """Return the rule that matches an entry that is not a folder."""
        if self.caches and entry.is_symlink() and leads_into(entry.path, self.caches):
            return CACHE_LINK_RULE
        by_name = place.rule_for(entry)
        if not self.named or (by_name and by_name.protected):
            return by_name
        return stronger_rule(self.named.get(join_path(place.step.path, entry.name).casefold()), by_name)


class Surroundings(NamedTuple):
    """The tops of repositories found so far, and the rules."""

    tops: set[str]
    rules: AutorunRules

    def with_top(self, path: str, *, top: bool) -> "Surroundings":
        """Return the same with one more top of a repository."""
        return Surroundings(self.tops | {path}, self.rules) if top else self


class FolderVisit(NamedTuple):
    """A folder to visit: the ``hooks`` and ``objects`` of a repository are scanned in a special way.

    ``inherited`` is the rule for all that is in it, where a link or a setting names it.
    """

    path: str
    hooks: bool = False
    objects: bool = False
    inherited: AutorunRule | None = None

    def enter(self, name: str, folder: ScannedFolder, named: Mapping[str, AutorunRule]) -> "FolderVisit":
        """Return the visit of a subfolder."""
        folded, path = name.casefold(), join_path(self.path, name)
        rule = named.get(path.casefold()) if named else None
        inherited = rule if rule and rule.below else self.inherited
        return FolderVisit(path, folder.git and folded == "hooks", folder.git and folded == "objects", inherited)


class FolderPlace(NamedTuple):
    """The role of a folder: how it was reached, whether it is git's, and whether rules match ``inside`` it."""

    step: FolderVisit
    git: bool
    inside: bool
    around: Surroundings

    def rule_for(self, entry: "os.DirEntry[str]") -> AutorunRule | None:
        """Return the rule that matches an entry by its name and place."""
        step, folded = self.step, entry.name.casefold()
        if step.hooks or (self.git and folded == "hooks"):
            return GIT_HOOK_RULE
        if self.git and folded in GIT_FILES:
            return GIT_CONFIG_RULE
        if step.inherited and applies_inside(step.inherited, folded):
            return step.inherited
        if not self.inside and not self.around.rules.may_match_name(folded):
            return None
        return self.around.rules.find(join_path(step.path, entry.name), self.around.tops, link=entry.is_symlink())


def named_rule(named: Mapping[str, AutorunRule], path: str) -> AutorunRule | None:
    """Return the rule of a file, or of a folder around it, that another file names."""
    folded = path.casefold()
    if rule := named.get(folded):
        return rule
    parts = folded.split("/")
    above = (named.get("/".join(parts[:length])) for length in range(len(parts) - 1, 0, -1))
    found = next((rule for rule in above if rule and rule.below), None)
    return found if found and applies_inside(found, parts[-1]) else None


def stronger_rule(one: AutorunRule | None, other: AutorunRule | None) -> AutorunRule | None:
    """Return the stronger rule for a file: that it is protected, or else that it runs at once."""
    found = [rule for rule in (one, other) if rule]
    return max(found, key=lambda rule: (rule.protected, rule.at_once), default=None)


def applies_inside(rule: AutorunRule, name: str) -> bool:
    """Return whether the rule of a folder applies to a file in it: git runs no hook with a dot in its name."""
    return rule.parts != GIT_HOOK_RULE.parts or HOOK_NAME.fullmatch(name) is not None


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder, or in it."""
    return path == folder or path.startswith(f"{folder}/")


def leads_into(path: str, folders: tuple[Path, ...]) -> bool:
    """Return whether a link leads into one of the folders."""
    place = Path(os.path.realpath(path))
    return any(place.is_relative_to(folder) for folder in folders)


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
