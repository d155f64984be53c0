"""Carry out a restore, one path at a time, each of them whole or not at all. Knows no reasons."""

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from openkoi_hookspecs import KoiError

from .manifest import FILES, NOTICED, Entry, Kind
from .plan import CHANGED, Plan
from .private import write_whole
from .survey import TEMPORARY, noticed


@dataclass(frozen=True, slots=True)
class Builder:
    """Changes a workspace that stands as ``now`` says; ``content`` reads what a file is to hold.

    A path below a link is never touched: it is not in here. One that changes meanwhile is left alone.
    """

    root: Path
    now: Mapping[str, Entry]
    content: Callable[[Entry], bytes]

    def carry_out(self, plan: Plan) -> dict[str, str]:
        """Do what is planned, from the leaves up and then from the root down; return what could not be done."""
        left = self.unavailable(plan)
        plan = plan.without(left)
        folders = [entry for entry in plan.make if entry.kind is Kind.FOLDER]
        others = [entry for entry in plan.make if entry.kind is not Kind.FOLDER]
        opened = self.to_open(plan)
        for entry in opened:
            self.attempt(self.open_up, entry, left)
        for entry in reversed(plan.remove):
            self.attempt(self.remove, entry, left)
        for entry in folders:
            self.attempt(self.make_folder, entry, left)
        for entry in others:
            self.attempt(self.write, entry, left)
        last = {entry.path: entry for entry in (*opened, *folders, *plan.modes)}
        for entry in reversed(sorted_by_path(last.values())):
            if os.path.lexists(self.root / entry.path):
                self.attempt(self.set_mode, entry, left)
        return left

    def unavailable(self, plan: Plan) -> dict[str, str]:
        """Of files that a folder makes way for, those whose content is lost: then the folder stays."""
        left: dict[str, str] = {}
        folders = {entry.path for entry in plan.remove if entry.kind is Kind.FOLDER}
        for entry in plan.make:
            if entry.path in folders and entry.kind in FILES:
                self.attempt(self.content, entry, left)
        return left

    def to_open(self, plan: Plan) -> list[Entry]:
        """The folders that are written in, as they are now."""
        above = {path.rpartition("/")[0] for path in plan.touched}
        going = {entry.path for entry in plan.remove}
        there = (self.now.get(path) for path in above | going)
        return sorted_by_path([entry for entry in there if entry and entry.kind is Kind.FOLDER])

    def attempt(self, act: Callable[[Entry], object], entry: Entry, left: dict[str, str]) -> None:
        """Do one thing; what fails is noted and does not stop the rest."""
        try:
            self.check_way(entry.path)
            act(entry)
        except (OSError, KoiError) as error:
            left[entry.path] = getattr(error, "strerror", None) or str(error)

    def check_way(self, path: str) -> None:
        """Every folder on the way is a real one."""
        for above in PurePosixPath(path).parents[:-1] if "/" in path else ():
            if not stat.S_ISDIR((self.root / above).lstat().st_mode):
                raise NotADirectoryError(0, f"{above} is not a folder")

    def check_unchanged(self, path: str) -> None:
        """What is here is what we saw, or nothing."""
        seen = self.now.get(path)
        try:
            status = (self.root / path).lstat()
        except FileNotFoundError:
            return
        if seen is None or not looks_as(seen, status):
            raise FileExistsError(0, CHANGED)

    def remove(self, entry: Entry) -> None:
        """Take a path away; a folder that still holds what we never kept stays."""
        place = self.root / entry.path
        if entry.kind is not Kind.FOLDER:
            self.check_unchanged(entry.path)
            place.unlink(missing_ok=True)
            return
        with contextlib.suppress(OSError):
            place.rmdir()

    def open_up(self, entry: Entry) -> None:
        """Let us write in a folder that is there; its own mode comes last."""
        place = self.root / entry.path
        if entry.mode & stat.S_IRWXU != stat.S_IRWXU and place.is_dir() and not place.is_symlink():
            place.chmod(entry.mode | stat.S_IRWXU)

    def make_folder(self, entry: Entry) -> None:
        """Make a folder that we can write in."""
        (self.root / entry.path).mkdir(mode=0o700)

    def write(self, entry: Entry) -> None:
        """Put a file or a link in place of what is there."""
        place = self.root / entry.path
        data = self.content(entry) if entry.kind in FILES else b""
        self.check_unchanged(entry.path)
        if entry.kind is Kind.LINK:
            write_link(place, entry.target)
            return
        write_whole(place, data, mode=entry.mode, temporary=TEMPORARY)
        if entry.kind in NOTICED:
            time = int(entry.digest.partition(":")[2])
            os.utime(place, ns=(time, time))

    def set_mode(self, entry: Entry) -> None:
        """Give what is there its mode, but never through a link; a folder that made way needs none."""
        place = self.root / entry.path
        mode = place.lstat().st_mode
        ours = entry.kind is Kind.UNREADABLE or stat.S_ISDIR(mode) is (entry.kind is Kind.FOLDER)
        if ours and not stat.S_ISLNK(mode) and stat.S_IMODE(mode) != entry.mode:
            place.chmod(entry.mode)


def looks_as(entry: Entry, status: os.stat_result) -> bool:
    """Whether a path is what was seen there, from outside."""
    if entry.kind in FILES:
        return entry.look in ("", noticed(entry.path, entry.kind, status).digest)
    return stat.S_ISLNK(status.st_mode) is (entry.kind is Kind.LINK)


def sorted_by_path(entries: Iterable[Entry]) -> list[Entry]:
    """Those above first."""
    return sorted(entries, key=lambda entry: entry.path)


def write_link(place: Path, target: str) -> None:
    """Make a link beside the place, then rename it."""
    beside = place.with_name(f"{TEMPORARY}{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.symlink_to(target)
    try:
        beside.replace(place)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def sweep(root: Path, folders: list[str]) -> None:
    """Delete what a restore that was killed left half written."""
    for folder in folders:
        for leftover in (root / folder).glob(f"{TEMPORARY}*"):
            leftover.unlink(missing_ok=True)
