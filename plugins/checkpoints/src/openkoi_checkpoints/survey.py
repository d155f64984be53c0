"""Look at a workspace and say what stands in it, reading only what may have changed."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import TooMany
from .ignored import Ignored, folders_above
from .manifest import Entry, Kind, Stamp, look

TEMPORARY = ".openkoi-restoring-"
CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
SETTLED = 2_000_000_000
MOST_HIDDEN = 5_000


@dataclass(frozen=True, slots=True)
class Rules:
    """What is looked at: no folder of these names, no file above this size, nothing below ``store``."""

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
        seen: dict[str, Entry] = {}
        hidden: dict[str, Entry] = {}
        rules = Ignored(lambda folder: ignore_file(self.root / folder))
        kept_in, folders = self.folders_of_kept(), [""]
        while folders:
            for entry, hides in self.folder(folders.pop(), rules):
                if hides and entry.kind is Kind.FOLDER:
                    hidden.update(self.hidden_folder(entry, most=None if entry.path in kept_in else MOST_HIDDEN))
                    continue
                seen[entry.path] = entry
                folders.extend([entry.path] if entry.kind is Kind.FOLDER else [])
            if len(seen) > self.rules.most_paths:
                raise TooMany(self.root, self.rules.most_paths)
        return dict(sorted({**seen, **hidden}.items()))

    def folders_of_kept(self) -> set[str]:
        """The folders in which, however deep, a file was kept."""
        kept = (path for path, entry in self.known.items() if entry.kind in (Kind.FILE, Kind.LARGE))
        return {above for path in kept for above in folders_above(path)}

    def hidden_folder(self, top: Entry, most: int | None) -> dict[str, Entry]:
        """An ignored folder and what is in it; of one with more than that in it only that it is there."""
        inside, folders = {top.path: top}, [top.path]
        while folders:
            found = [entry for entry, _ in self.folder(folders.pop(), None)]
            inside.update((entry.path, entry) for entry in found)
            folders.extend(entry.path for entry in found if entry.kind is Kind.FOLDER)
            if most is not None and len(inside) > most:
                return {top.path: noticed(top.path, Kind.CROWDED, (self.root / top.path).lstat())}
        return inside

    def folder(self, folder: str, ignored: Ignored | None) -> Iterator[tuple[Entry, bool]]:
        """What stands in one folder, and whether it is hidden; one that vanishes or is closed has nothing in it."""
        try:
            with os.scandir(self.root / folder) as listing:
                there = list(listing)
        except OSError:
            return
        for item in there:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.name.startswith(TEMPORARY) or item.path == self.rules.store:
                continue
            try:
                yield self.seen(path, item, ignored)
            except FileNotFoundError:
                continue
            except OSError:
                yield Entry(path, Kind.UNREADABLE, 0), False

    def seen(self, path: str, item: "os.DirEntry[str]", ignored: Ignored | None) -> tuple[Entry, bool]:
        """One path, and whether it is hidden; without rules everything is."""
        status = item.stat(follow_symlinks=False)
        is_folder = stat.S_ISDIR(status.st_mode)
        if is_folder and self.passes(path, item):
            return Entry(path, Kind.PASSED, 0), False
        hides = ignored is None or ignored.matches(path, folder=is_folder)
        return self.entry(path, status, hides), hides

    def passes(self, path: str, item: "os.DirEntry[str]") -> bool:
        """Whether a folder is not looked into: by its name, or because it says that it can be made again."""
        known = self.known.get(path)
        return item.name in self.rules.skip or ((not known or known.kind is Kind.PASSED) and is_cache(item.path))

    def entry(self, path: str, status: os.stat_result, hides: bool) -> Entry:
        """Remember one path by its kind; of pipes, sockets and devices that they are there."""
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISDIR(status.st_mode):
            readable = os.access(self.root / path, os.R_OK | os.X_OK)
            return Entry(path, Kind.FOLDER if readable else Kind.UNREADABLE, mode)
        if stat.S_ISLNK(status.st_mode):
            return Entry(path, Kind.LINK, 0, target=os.readlink(self.root / path))  # noqa: PTH115  # Path would tidy it
        if not stat.S_ISREG(status.st_mode):
            return Entry(path, Kind.PASSED, 0, size=1)
        known = self.known.get(path)
        if hides and not (known and known.kind in (Kind.FILE, Kind.LARGE)):
            return noticed(path, Kind.IGNORED, status)
        return self.file(path, status)

    def file(self, path: str, status: os.stat_result) -> Entry:
        """Remember a file. One that has not been touched since it was last read is not read again."""
        before = self.known.get(path)
        if before and before.kind is Kind.FILE and before.stamp == stamp(status):
            return before
        if status.st_size > self.rules.most_bytes:
            return noticed(path, Kind.LARGE, status)
        read_at = time.time_ns()
        status, data = read_file(self.root / path, self.rules.most_bytes + 1)
        if len(data) > self.rules.most_bytes:
            return noticed(path, Kind.LARGE, status)
        mark = stamp(status) if settled(status, read_at) else stamp(status)[:2]
        return Entry(path, Kind.FILE, stat.S_IMODE(status.st_mode), len(data), self.keep(data), stamp=mark)


class Counter(Surveyor):
    """The same look from outside: nothing is read or kept of a workspace that turns out to be too large."""

    def file(self, path: str, status: os.stat_result) -> Entry:
        """Remember that a file is there."""
        return noticed(path, Kind.LARGE, status)


def ignore_file(folder: Path) -> bytes:
    """A folder's ``.gitignore``; a link is not followed, as git does not."""
    try:
        return read_file(folder / ".gitignore", 1_000_000)[1]
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


def noticed(path: str, kind: Kind, status: os.stat_result) -> Entry:
    """What is looked at only from outside."""
    seen = look(status.st_size, status.st_mtime_ns)
    return Entry(path, kind, stat.S_IMODE(status.st_mode), status.st_size, seen)


def is_cache(path: str) -> bool:
    """Whether a folder says of itself that it can be made again: a tagged cache, a virtual environment."""
    try:
        return read_file(Path(path, "CACHEDIR.TAG"), 43)[1] == CACHE_TAG
    except OSError:
        return Path(path, "pyvenv.cfg").is_file()
