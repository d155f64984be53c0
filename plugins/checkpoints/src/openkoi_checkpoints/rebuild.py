"""Carry out a restore, one path at a time, each of them whole or not at all. Knows no reasons."""

import contextlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from openkoi_hookspecs import KoiError

from .manifest import Entry, Kind
from .plan import Plan
from .private import write_whole
from .survey import TEMPORARY


@dataclass(frozen=True, slots=True)
class Builder:
    """Changes a workspace; ``content`` reads a blob. A path below a link is never touched: it is not in here."""

    root: Path
    content: Callable[[str], bytes]

    def carry_out(self, plan: Plan) -> dict[str, str]:
        """Do what is planned, from the leaves up and then from the root down; return what could not be done."""
        left: dict[str, str] = {}
        folders = [entry for entry in plan.make if entry.kind is Kind.FOLDER]
        others = [entry for entry in plan.make if entry.kind is not Kind.FOLDER]
        for entry in folders:
            self.attempt(self.open_up, entry, left)
        for entry in reversed(plan.remove):
            self.attempt(self.remove, entry, left)
        for entry in folders:
            self.attempt(self.make_folder, entry, left)
        for entry in others:
            self.attempt(self.write, entry, left)
        for entry in reversed(folders):
            self.attempt(self.set_mode, entry, left)
        return left

    def attempt(self, act: Callable[[Entry], None], entry: Entry, left: dict[str, str]) -> None:
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

    def remove(self, entry: Entry) -> None:
        """Take a path away; a folder that still holds what we never kept stays."""
        place = self.root / entry.path
        if entry.kind is not Kind.FOLDER:
            place.unlink(missing_ok=True)
            return
        with contextlib.suppress(OSError):
            place.rmdir()

    def open_up(self, entry: Entry) -> None:
        """Let us write in a folder that is there; its own mode comes last."""
        place = self.root / entry.path
        if place.is_dir() and not place.is_symlink():
            place.chmod(entry.mode | stat.S_IRWXU)

    def make_folder(self, entry: Entry) -> None:
        """Make a folder that we can write in."""
        (self.root / entry.path).mkdir(exist_ok=True)
        self.open_up(entry)

    def write(self, entry: Entry) -> None:
        """Put a file or a link in place of what is there."""
        place = self.root / entry.path
        if entry.kind is Kind.LINK:
            write_link(place, entry.target)
            return
        write_whole(place, self.content(entry.digest), mode=entry.mode, temporary=TEMPORARY)

    def set_mode(self, entry: Entry) -> None:
        """Give a folder its mode."""
        (self.root / entry.path).chmod(entry.mode)


def write_link(place: Path, target: str) -> None:
    """Make a link beside the place, then rename it."""
    beside = place.with_name(f"{TEMPORARY}{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.symlink_to(target)
    beside.replace(place)


def sweep(root: Path, folders: list[str]) -> None:
    """Delete what a restore that was killed left half written."""
    for folder in folders:
        for leftover in (root / folder).glob(f"{TEMPORARY}*"):
            leftover.unlink(missing_ok=True)
