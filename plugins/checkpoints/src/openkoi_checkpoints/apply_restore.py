"""Restore files by a plan (undo, rewind), one path at a time, each atomically."""

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

from openkoi_base.files import write_atomically
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .manifest import FILE_KINDS, UNSTORED_FILE_KINDS, PathEntry, PathKind
from .restore_plan import CHANGED, RestorePlan
from .scan import TEMPORARY_PREFIX, unstored_entry


@dataclass(frozen=True, slots=True)
class RestoreExecutor:
    """Change a workspace whose state is ``now``; ``content`` reads a file's target content.

    A path below a link is never touched. A path that changes meanwhile is left alone.
    """

    root: Path
    now: Mapping[str, PathEntry]
    content: Callable[[PathEntry], bytes]

    def carry_out(self, plan: RestorePlan) -> dict[str, str]:
        """Carry out the plan, deleting leaves first and then making parents first; return what failed."""
        left = self.find_unavailable(plan)
        plan = plan.without(left)
        folders = [entry for entry in plan.make if entry.kind is PathKind.FOLDER]
        others = [entry for entry in plan.make if entry.kind is not PathKind.FOLDER]
        opened = self.folders_to_open(plan)
        for entry in opened:
            self.attempt(self.make_writable, entry, left)
        for entry in reversed(plan.remove):
            self.attempt(self.remove, entry, left)
        for entry in folders:
            self.attempt(self.make_folder, entry, left)
        for entry in others:
            self.attempt(self.write, entry, left)
        last = {entry.path: entry for entry in (*opened, *folders, *plan.modes)}
        for entry in reversed(sort_by_path(last.values())):
            if os.path.lexists(self.root / entry.path):
                self.attempt(self.set_mode, entry, left)
        return left

    def find_unavailable(self, plan: RestorePlan) -> dict[str, str]:
        """Return the files that would replace a folder but whose content is lost; such a folder stays."""
        left: dict[str, str] = {}
        folders = {entry.path for entry in plan.remove if entry.kind is PathKind.FOLDER}
        for entry in plan.make:
            if entry.path in folders and entry.kind in FILE_KINDS:
                self.attempt(self.content, entry, left)
        return left

    def folders_to_open(self, plan: RestorePlan) -> list[PathEntry]:
        """Return the current state of the folders to write in."""
        above = {path.rpartition("/")[0] for path in plan.touched_paths}
        going = {entry.path for entry in plan.remove}
        there = (self.now.get(path) for path in above | going)
        return sort_by_path([entry for entry in there if entry and entry.kind is PathKind.FOLDER])

    def attempt(self, act: Callable[[PathEntry], object], entry: PathEntry, left: dict[str, str]) -> None:
        """Run one action; record a failure and continue."""
        try:
            self.check_parents(entry.path)
            act(entry)
        except (OSError, KoiError) as error:
            left[entry.path] = getattr(error, "strerror", None) or str(error)

    def check_parents(self, path: str) -> None:
        """Raise unless every parent is a real folder."""
        for above in PurePosixPath(path).parents[:-1] if "/" in path else ():
            if not stat.S_ISDIR((self.root / above).lstat().st_mode):
                raise NotADirectoryError(0, f"{above} is not a folder")

    def check_unchanged(self, path: str) -> None:
        """Raise unless the path is missing or as it was scanned."""
        seen = self.now.get(path)
        try:
            status = (self.root / path).lstat()
        except FileNotFoundError:
            return
        if seen is None or not matches_status(seen, status):
            raise FileExistsError(0, CHANGED)

    def remove(self, entry: PathEntry) -> None:
        """Remove a path; a folder that still contains unstored files stays."""
        place = self.root / entry.path
        if entry.kind is not PathKind.FOLDER:
            self.check_unchanged(entry.path)
            place.unlink(missing_ok=True)
            return
        with contextlib.suppress(OSError):
            place.rmdir()

    def make_writable(self, entry: PathEntry) -> None:
        """Make an existing folder writable; its own mode is set last."""
        place = self.root / entry.path
        if entry.mode & stat.S_IRWXU != stat.S_IRWXU and place.is_dir() and not place.is_symlink():
            place.chmod(entry.mode | stat.S_IRWXU)

    def make_folder(self, entry: PathEntry) -> None:
        """Create a folder that only its user can access."""
        (self.root / entry.path).mkdir(mode=0o700)

    def write(self, entry: PathEntry) -> None:
        """Write a file or a link, replacing the existing entry."""
        place = self.root / entry.path
        data = self.content(entry) if entry.kind in FILE_KINDS else b""
        self.check_unchanged(entry.path)
        if entry.kind is PathKind.LINK:
            write_link_atomically(place, entry.target)
            return
        write_atomically(place, data, mode=entry.mode, temporary=TEMPORARY_PREFIX)
        if entry.kind in UNSTORED_FILE_KINDS:
            time = int(entry.digest.partition(":")[2])
            os.utime(place, ns=(time, time))

    def set_mode(self, entry: PathEntry) -> None:
        """Set the mode of a path, never through a link; skip a folder that was replaced."""
        place = self.root / entry.path
        mode = place.lstat().st_mode
        ours = entry.kind is PathKind.UNREADABLE or stat.S_ISDIR(mode) is (entry.kind is PathKind.FOLDER)
        if ours and not stat.S_ISLNK(mode) and stat.S_IMODE(mode) != entry.mode:
            place.chmod(entry.mode)


def matches_status(entry: PathEntry, status: os.stat_result) -> bool:
    """Return whether a path's status is the one that was scanned."""
    if entry.kind in FILE_KINDS:
        return entry.status_digest in ("", unstored_entry(entry.path, entry.kind, status).digest)
    return stat.S_ISLNK(status.st_mode) is (entry.kind is PathKind.LINK)


def sort_by_path(entries: Iterable[PathEntry]) -> list[PathEntry]:
    """Return the entries, parents first."""
    return sorted(entries, key=lambda entry: entry.path)


def write_link_atomically(place: Path, target: str) -> None:
    """Make a link under a temporary name next to its path, then rename it."""
    beside = place.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.symlink_to(target)
    try:
        beside.replace(place)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def delete_temporary_files(root: Path, folders: list[str]) -> None:
    """Delete the temporary files of a killed restore."""
    for folder in folders:
        for leftover in (root / folder).glob(f"{TEMPORARY_PREFIX}*"):
            leftover.unlink(missing_ok=True)
