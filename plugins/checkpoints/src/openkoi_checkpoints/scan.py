"""Scan a workspace for a checkpoint: which files are stored, and which are excluded (ignored, too large, caches)."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .errors import WorkspaceTooLargeError
from .gitignore import GitIgnore
from .manifest import PathEntry, PathKind, Stamp, digest_status

TEMPORARY_PREFIX = ".openkoi-restoring-"
CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
STAMP_GRACE_NANOSECONDS = 2_000_000_000
MAX_IGNORED_FILES = 5_000


@dataclass(frozen=True, slots=True)
class ScanRules:
    """Limit a scan: folder names to skip, the largest file, the number of paths, and the store's folder."""

    skip: frozenset[str]
    most_bytes: int
    most_paths: int
    store: str


@dataclass(frozen=True, slots=True)
class WorkspaceScanner:
    """Scan a workspace. A ``known`` file is still recorded after an ignore rule hides it."""

    root: Path
    rules: ScanRules
    known: Mapping[str, PathEntry]
    keep: Callable[[bytes], str]

    def entries(self) -> dict[str, PathEntry]:
        """Return all entries, sorted by path."""
        seen: dict[str, PathEntry] = {}
        hidden: dict[str, PathEntry] = {}
        rules = GitIgnore(lambda folder: read_ignore_file(self.locate(folder)))
        kept_in, folders = self.folders_of_stored_files(), [""]
        while folders:
            for entry, hides in self.scan_folder(folders.pop(), rules):
                if hides and entry.kind is PathKind.FOLDER:
                    hidden.update(
                        self.scan_ignored_folder(entry, most=None if entry.path in kept_in else MAX_IGNORED_FILES)
                    )
                    continue
                seen[entry.path] = entry
                folders.extend([entry.path] if entry.kind is PathKind.FOLDER else [])
            if len(seen) > self.rules.most_paths:
                raise WorkspaceTooLargeError(self.root, self.rules.most_paths)
        return dict(sorted({**seen, **hidden}.items()))

    def folders_of_stored_files(self) -> set[str]:
        """Return the folders that contain a stored file, however deep."""
        folders = {""}
        for path, entry in self.known.items():
            above = path if entry.kind in (PathKind.FILE, PathKind.LARGE) else ""
            while (above := above.rpartition("/")[0]) not in folders:
                folders.add(above)
        return folders

    def locate(self, path: str) -> str:
        """Return a path in the workspace as an absolute string; creating ``Path`` objects is slow in deep folders."""
        return os.path.join(self.root, path.replace("/", os.sep))  # noqa: PTH118

    def scan_ignored_folder(self, top: PathEntry, most: int | None) -> dict[str, PathEntry]:
        """Return an ignored folder and its entries; with too many entries, only the folder."""
        inside, folders = {top.path: top}, [top.path]
        while folders:
            found = [entry for entry, _ in self.scan_folder(folders.pop(), None)]
            inside.update((entry.path, entry) for entry in found)
            folders.extend(entry.path for entry in found if entry.kind is PathKind.FOLDER)
            if most is not None and len(inside) > most:
                return {top.path: unstored_entry(top.path, PathKind.CROWDED, os.lstat(self.locate(top.path)))}
        return inside

    def scan_folder(self, folder: str, ignored: GitIgnore | None) -> Iterator[tuple[PathEntry, bool]]:
        """Yield the entries of one folder and whether each is hidden; a vanished or closed folder is empty."""
        try:
            with os.scandir(self.locate(folder)) as listing:
                there = list(listing)
        except OSError:
            return
        for item in there:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.name.startswith(TEMPORARY_PREFIX) or item.path == self.rules.store:
                continue
            try:
                yield self.scan_item(path, item, ignored)
            except FileNotFoundError:
                continue
            except OSError:
                yield PathEntry(path, PathKind.UNREADABLE, 0), False

    def scan_item(self, path: str, item: "os.DirEntry[str]", ignored: GitIgnore | None) -> tuple[PathEntry, bool]:
        """Return one entry and whether it is hidden; without rules, all are."""
        status = item.stat(follow_symlinks=False)
        is_folder = stat.S_ISDIR(status.st_mode)
        if is_folder and self.is_skipped(path, item):
            return PathEntry(path, PathKind.SKIPPED, 0), False
        hides = ignored is None or ignored.matches(path, folder=is_folder)
        return self.build_entry(path, status, hides), hides

    def is_skipped(self, path: str, item: "os.DirEntry[str]") -> bool:
        """Return whether to skip a folder: by its name, or because it is a cache."""
        known = self.known.get(path)
        return item.name in self.rules.skip or (
            (not known or known.kind is PathKind.SKIPPED) and is_cache_folder(item.path)
        )

    def build_entry(self, path: str, status: os.stat_result, hides: bool) -> PathEntry:
        """Return the entry of one path by its kind; pipes, sockets and devices are only known to exist."""
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISDIR(status.st_mode):
            readable = os.access(self.locate(path), os.R_OK | os.X_OK)
            return PathEntry(path, PathKind.FOLDER if readable else PathKind.UNREADABLE, mode)
        if stat.S_ISLNK(status.st_mode):
            return PathEntry(path, PathKind.LINK, 0, target=os.readlink(self.locate(path)))  # noqa: PTH115  # Path would tidy it
        if not stat.S_ISREG(status.st_mode):
            return PathEntry(path, PathKind.SKIPPED, 0, size=1)
        known = self.known.get(path)
        if hides and not (known and known.kind in (PathKind.FILE, PathKind.LARGE)):
            return unstored_entry(path, PathKind.IGNORED, status)
        return self.build_file_entry(path, status)

    def build_file_entry(self, path: str, status: os.stat_result) -> PathEntry:
        """Return the entry of a file; one unchanged since it was last read is not read again."""
        before = self.known.get(path)
        if before and before.kind is PathKind.FILE and before.stamp == stat_stamp(status):
            return before
        if status.st_size > self.rules.most_bytes:
            return unstored_entry(path, PathKind.LARGE, status)
        read_at = time.time_ns()
        status, data = read_regular_file(self.locate(path), self.rules.most_bytes + 1)
        if len(data) > self.rules.most_bytes:
            return unstored_entry(path, PathKind.LARGE, status)
        mark = stat_stamp(status) if is_stamp_reliable(status, read_at) else stat_stamp(status)[:2]
        return PathEntry(path, PathKind.FILE, stat.S_IMODE(status.st_mode), len(data), self.keep(data), stamp=mark)


class FileCounter(WorkspaceScanner):
    """Scan without reading, to reject a workspace that is too large before anything is stored."""

    def build_file_entry(self, path: str, status: os.stat_result) -> PathEntry:
        """Return an entry for the file without reading it."""
        return unstored_entry(path, PathKind.LARGE, status)


def read_ignore_file(folder: Path | str) -> bytes:
    """Return a folder's ``.gitignore``; a link is not followed, as in git."""
    try:
        return read_regular_file(f"{folder}/.gitignore", 1_000_000)[1]
    except OSError:
        return b""


def read_regular_file(path: Path | str, most: int) -> tuple[os.stat_result, bytes]:
    """Read a regular file, never through a link and never waiting on a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is not a regular file.")
        return status, file.read(most)


def stat_stamp(status: os.stat_result) -> Stamp:
    """Return a file's stamp, which changes with its bytes or mode."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def is_stamp_reliable(status: os.stat_result, read_at: int) -> bool:
    """Return whether a later write would change the stamp: some file systems round times to two seconds."""
    return read_at - max(status.st_mtime_ns, status.st_ctime_ns) > STAMP_GRACE_NANOSECONDS


def unstored_entry(path: str, kind: PathKind, status: os.stat_result) -> PathEntry:
    """Return an entry by size and time alone."""
    seen = digest_status(status.st_size, status.st_mtime_ns)
    return PathEntry(path, kind, stat.S_IMODE(status.st_mode), status.st_size, seen)


def is_cache_folder(path: str) -> bool:
    """Return whether a folder is a tagged cache or a virtual environment, which can be recreated."""
    try:
        return read_regular_file(f"{path}/CACHEDIR.TAG", 43)[1] == CACHE_TAG
    except OSError:
        return os.path.isfile(f"{path}/pyvenv.cfg")  # noqa: PTH113


def is_ignored(root: Path, path: str) -> bool:
    """Return whether the ignore rules of a workspace hide a file."""
    return GitIgnore(lambda folder: read_ignore_file(root / folder)).hides(path, folder=False)
