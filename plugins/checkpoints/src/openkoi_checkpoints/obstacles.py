"""Remove from a restore plan each path that cannot be restored because something that stays is in its way."""

from collections.abc import Container, Iterator, Mapping, Set
from dataclasses import replace

from openkoi_hookspecs.lazy_dataclass import dataclass

from .gitignore import parent_folders
from .manifest import PathEntry, PathKind
from .restore_plan import BLOCKED, REPLACED, RestorePlan, RestoreStates, is_not_folder, is_within

NAME_TAKEN = "changed later, and its old name {} is taken"


def drop_blocked(made: RestorePlan, views: RestoreStates) -> RestorePlan | None:
    """Drop entries whose place stays occupied; return None if there are none.

    A file that contains changes of others is removed from its present path only when it is made at another.
    """
    make = [entry for entry in made.make if entry.path not in (made.conflicts | made.left)]
    ways = PathObstacles(views.now, {entry.path for entry in made.remove}, {entry.path for entry in make})
    taken = {path: REPLACED for entry in make if is_not_folder(entry) for path in ways.obstacles(entry)}
    stopped = {**made.conflicts, **made.left, **taken}
    blocked = {
        entry.path: BLOCKED
        for entry in make
        if is_within(parent_of(entry), stopped) or any(ways.obstacles_above(entry))
    }
    make = [entry for entry in make if entry.path not in (stopped | blocked)]
    coming = {entry.path for entry in make}
    stays = {old: NAME_TAKEN.format(new) for new, old in made.moves.items() if new not in coming}
    remove = [entry for entry in made.remove if entry.path not in (stopped | blocked | stays)]
    if (make, remove) == (made.make, made.remove):
        return None
    left, conflicts = (taken, {}) if views.force else ({}, taken)
    left, conflicts = {**made.left, **blocked, **left}, {**made.conflicts, **conflicts, **stays}
    return replace(made, make=make, remove=remove, left=left, conflicts=conflicts)


def parent_of(entry: PathEntry) -> str:
    """Return the folder that an entry is in."""
    return entry.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class PathObstacles:
    """What exists ``now``, what will be removed (``going``), and what will be made (``coming``)."""

    now: Mapping[str, PathEntry]
    going: Set[str]
    coming: Set[str]

    def obstacles(self, file: PathEntry) -> Iterator[str]:
        """Yield the entries that stay and are in a file's way: a folder with files, or a file in place of a folder."""
        if keeps_files(file.path, self.now, self.going):
            yield file.path
        yield from self.obstacles_above(file)

    def obstacles_above(self, entry: PathEntry) -> Iterator[str]:
        """Yield the files and links that stay where folders are needed."""
        changing = self.going | self.coming
        there = (self.now.get(path) for path in parent_folders(entry.path) if path not in changing)
        return (one.path for one in there if one and one.kind in (PathKind.FILE, PathKind.LINK))


def keeps_files(folder: str, now: Mapping[str, PathEntry], going: Container[str]) -> bool:
    """Return whether a folder exists and a file in it stays."""
    there = folder in now and not is_not_folder(now[folder])
    return there and any(is_not_folder(one) and one.path not in going for one in entries_below(folder, now))


def entries_below(folder: str, now: Mapping[str, PathEntry]) -> Iterator[PathEntry]:
    """Yield the entries in a folder, however deep."""
    return (one for path, one in now.items() if path.startswith(f"{folder}/"))


def remove_empty_folders(made: RestorePlan, views: RestoreStates) -> None:
    """Remove the folders below one that makes way for a file: they contain no file."""
    ways = [entry.path for entry in made.make if is_not_folder(entry) and entry.path in views.now]
    found = {entry.path: entry for entry in made.remove}
    found |= {one.path: one for way in ways for one in entries_below(way, views.now)}
    made.remove = [found[path] for path in sorted(found)]


def add_missing_folders(made: RestorePlan, views: RestoreStates) -> None:
    """Plan to create folders that others removed and that restored files need."""
    needed = {above for entry in made.make for above in parent_folders(entry.path) if above and above not in views.now}
    known = {**views.base, **views.wanted}
    there = {entry.path for entry in made.make}
    made.make += [
        known[path] for path in sorted(needed - there) if path in known and known[path].kind is PathKind.FOLDER
    ]
