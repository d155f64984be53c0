"""Leave out of a plan what cannot be made, because something that stays is in the way. Knows entries; knows no disk."""

from collections.abc import Container, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from .ignored import folders_above
from .manifest import Entry, Kind
from .plan import BLOCKED, REPLACED, Plan, Sides, is_file, within

NAME_TAKEN = "changed since, and its old name {} is taken"


def withdraw(made: Plan, views: Sides) -> Plan | None:
    """Leave out what cannot be made because something stays there; None where all can be made.

    A file that keeps changes of others is removed from its present path only when it is made at another.
    """
    make = [entry for entry in made.make if entry.path not in (made.conflicts | made.left)]
    ways = Ways(views.now, {entry.path for entry in made.remove}, {entry.path for entry in make})
    taken = {path: REPLACED for entry in make if is_file(entry) for path in ways.obstacles(entry)}
    stopped = {**made.conflicts, **made.left, **taken}
    blocked = {entry.path: BLOCKED for entry in make if within(parent(entry), stopped) or any(ways.above(entry))}
    make = [entry for entry in make if entry.path not in (stopped | blocked)]
    coming = {entry.path for entry in make}
    stays = {old: NAME_TAKEN.format(new) for new, old in made.moves.items() if new not in coming}
    remove = [entry for entry in made.remove if entry.path not in (stopped | blocked | stays)]
    if (make, remove) == (made.make, made.remove):
        return None
    left, conflicts = (taken, {}) if views.force else ({}, taken)
    left, conflicts = {**made.left, **blocked, **left}, {**made.conflicts, **conflicts, **stays}
    return replace(made, make=make, remove=remove, left=left, conflicts=conflicts)


def parent(entry: Entry) -> str:
    """Return the folder that an entry is in."""
    return entry.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Ways:
    """What is there ``now``, and which of it is ``going``; ``coming`` is what is to be made."""

    now: Mapping[str, Entry]
    going: Set[str]
    coming: Set[str]

    def obstacles(self, file: Entry) -> Iterator[str]:
        """Name what stays and is in the way of a file: a folder with files in it, or a file in place of a folder."""
        if holds(file.path, self.now, self.going):
            yield file.path
        yield from self.above(file)

    def above(self, entry: Entry) -> Iterator[str]:
        """Name the files and links that stay where there should be folders."""
        changing = self.going | self.coming
        there = (self.now.get(path) for path in folders_above(entry.path) if path not in changing)
        return (one.path for one in there if one and one.kind in (Kind.FILE, Kind.LINK))


def holds(folder: str, now: Mapping[str, Entry], going: Container[str]) -> bool:
    """Whether a folder is there, and a file in it stays."""
    there = folder in now and not is_file(now[folder])
    return there and any(is_file(one) and one.path not in going for one in below(folder, now))


def below(folder: str, now: Mapping[str, Entry]) -> Iterator[Entry]:
    """Return what is in a folder, however deep."""
    return (one for path, one in now.items() if path.startswith(f"{folder}/"))


def remove_empty_folders(made: Plan, views: Sides) -> None:
    """Remove the folders in a folder that makes way for a file: no file is in them."""
    ways = [entry.path for entry in made.make if is_file(entry) and entry.path in views.now]
    found = {entry.path: entry for entry in made.remove}
    found |= {one.path: one for way in ways for one in below(way, views.now)}
    made.remove = [found[path] for path in sorted(found)]


def add_folders(made: Plan, views: Sides) -> None:
    """Make the folders of files that are to be made, where others removed them."""
    needed = {above for entry in made.make for above in folders_above(entry.path) if above and above not in views.now}
    known = {**views.base, **views.wanted}
    there = {entry.path for entry in made.make}
    made.make += [known[path] for path in sorted(needed - there) if path in known and known[path].kind is Kind.FOLDER]
