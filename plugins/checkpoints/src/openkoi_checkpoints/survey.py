"""Look at a workspace and say what stands in it, reading only what may have changed."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import TooMany
from .ignored import Ignored
from .manifest import Entry, Kind, Stamp

TEMPORARY = ".openkoi-restoring-"
CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
SETTLED = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Rules:
    """What is looked at: no path of these names, no file above this size, nothing below ``store``."""

    skip: frozenset[str]
    most_bytes: int
    most_paths: int
    store: str


@dataclass(frozen=True, slots=True)
class Surveyor:
    """One look at a workspace. What is ``known`` stays in sight even when an ignore rule came to hide it."""

    root: Path
    rules: Rules
    known: Mapping[str, Entry]
    keep: Callable[[bytes], str]

    def entries(self) -> dict[str, Entry]:
        """Everything there is, by path, in the order of the paths."""
        found: dict[str, Entry] = {}
        ignored = Ignored(self.ignore_file)
        folders = [""]
        while folders:
            for entry in self.folder(folders.pop(), ignored):
                found[entry.path] = entry
                folders.extend([entry.path] if entry.kind is Kind.FOLDER else [])
            if len(found) > self.rules.most_paths:
                raise TooMany(self.root, self.rules.most_paths)
        return dict(sorted(found.items()))

    def folder(self, folder: str, ignored: Ignored) -> Iterator[Entry]:
        """What stands in one folder; one that vanishes or is closed to us has nothing in it."""
        try:
            with os.scandir(self.root / folder) as listing:
                there = list(listing)
        except OSError:
            return
        for item in there:
            path = f"{folder}/{item.name}" if folder else item.name
            if entry := self.seen(path, item, ignored):
                yield entry

    def seen(self, path: str, item: "os.DirEntry[str]", ignored: Ignored) -> Entry | None:
        """One path, or None when it is not to be looked at, or is gone."""
        if item.name in self.rules.skip or item.name.startswith(TEMPORARY) or item.path == self.rules.store:
            return None
        try:
            status = item.stat(follow_symlinks=False)
            is_folder = stat.S_ISDIR(status.st_mode)
            if path not in self.known and (ignored.matches(path, folder=is_folder) or is_cache(item.path, is_folder)):
                return None
            return self.entry(path, status)
        except FileNotFoundError:
            return None
        except OSError:
            return Entry(path, Kind.UNREADABLE, 0)

    def entry(self, path: str, status: os.stat_result) -> Entry | None:
        """Remember one path by its kind; pipes, sockets and devices are none of ours."""
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISDIR(status.st_mode):
            readable = os.access(self.root / path, os.R_OK | os.X_OK)
            return Entry(path, Kind.FOLDER if readable else Kind.UNREADABLE, mode)
        if stat.S_ISLNK(status.st_mode):
            return Entry(path, Kind.LINK, 0, target=os.readlink(self.root / path))  # noqa: PTH115  # Path would tidy it
        return self.file(path, status) if stat.S_ISREG(status.st_mode) else None

    def file(self, path: str, status: os.stat_result) -> Entry:
        """Remember a file. One that has not been touched since it was last read is not read again."""
        before = self.known.get(path)
        if before and before.kind is Kind.FILE and before.stamp == stamp(status):
            return before
        if status.st_size > self.rules.most_bytes:
            return large(path, status)
        read_at = time.time_ns()
        status, data = read_file(self.root / path, self.rules.most_bytes + 1)
        if len(data) > self.rules.most_bytes:
            return large(path, status)
        mark = stamp(status) if settled(status, read_at) else ()
        return Entry(path, Kind.FILE, stat.S_IMODE(status.st_mode), len(data), self.keep(data), stamp=mark)

    def ignore_file(self, folder: str) -> bytes:
        """A folder's ``.gitignore``; a link is not followed, as git does not."""
        try:
            return read_file(self.root / folder / ".gitignore", 1_000_000)[1]
        except OSError:
            return b""


def read_file(path: Path, most: int) -> tuple[os.stat_result, bytes]:
    """Read a regular file, never through a link and never waiting on a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is not a regular file.")
        return status, file.read(most)


def stamp(status: os.stat_result) -> Stamp:
    """What changes when a file's bytes or mode do."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def settled(status: os.stat_result, read_at: int) -> bool:
    """Whether a later write would show in the stamp: clocks of file systems tick as slowly as every two seconds."""
    return read_at - max(status.st_mtime_ns, status.st_ctime_ns) > SETTLED


def large(path: str, status: os.stat_result) -> Entry:
    """A file whose content is not kept."""
    look = f"{status.st_size}:{status.st_mtime_ns}"
    return Entry(path, Kind.LARGE, stat.S_IMODE(status.st_mode), status.st_size, look)


def is_cache(path: str, is_folder: bool) -> bool:
    """Whether a folder says of itself that it can be made again: a tagged cache, a virtual environment."""
    if not is_folder:
        return False
    try:
        return read_file(Path(path, "CACHEDIR.TAG"), 43)[1] == CACHE_TAG
    except OSError:
        return Path(path, "pyvenv.cfg").is_file()
