"""Whether a folder is another than it ever was in this run, told from its files, quickly.

A file that was not written since the run began is known by its size and time alone; one that was, by what is in it, so
that a change and its undoing come to nothing. Caches, hidden folders and what version control keeps are passed over:
running the tests changes nothing.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from stat import S_ISLNK, S_ISREG

PASSED_OVER = frozenset({"__pycache__", "node_modules", "venv", "build", "dist", "target"})
MOST = 5_000
LARGE = 1_000_000
READING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


@dataclass(frozen=True, slots=True)
class File:
    """A file as its folder tells of it. ``stamp`` is another whenever it was written."""

    path: str
    size: int
    mode: int
    stamp: int


@dataclass(slots=True)
class Footprints:
    """The states that a folder was in; of a very large one only its first files count."""

    first: frozenset[File] = frozenset()
    contents: dict[File, bytes] = field(default_factory=dict)
    seen: set[bytes] = field(default_factory=set)

    def begin(self, root: Path) -> None:
        """Note how it is before anything was written."""
        self.first = frozenset(files_of(root))
        self.seen.add(self.state(self.first))

    def changed(self, root: Path) -> bool:
        """Whether it is in a state that it was not in before; that is known from now on."""
        if not self.seen:
            self.begin(root)
            return True
        state = self.state(files_of(root))
        new = state not in self.seen
        self.seen.add(state)
        return new

    def state(self, files: frozenset[File]) -> bytes:
        """What it is like, in few bytes."""
        seen = blake2b(digest_size=16)
        for file in sorted(files, key=lambda file: file.path):
            seen.update(f"{file.path}\0{file.mode}\0".encode("utf-8", "surrogateescape"))
            seen.update(str(file.stamp).encode() if file in self.first else self.content(file))
        return seen.digest()

    def content(self, file: File) -> bytes:
        """What is in a file, in few bytes; of a large one its time."""
        if file not in self.contents:
            self.contents[file] = str(file.stamp).encode() if file.size > LARGE else held_in(file)
        return self.contents[file]


def held_in(file: File) -> bytes:
    """What is in a file, or where a link leads. Of anything else nothing is read: a pipe would never end."""
    try:
        if S_ISLNK(file.mode):
            return os.fsencode(Path(file.path).readlink())
        return digest(file.path) if S_ISREG(file.mode) else b""
    except OSError:
        return b""


def digest(path: str) -> bytes:
    """What is in a file that was one a moment ago; what took its place since is not waited for, or followed."""
    with open(os.open(path, READING), "rb") as opened:  # noqa: PTH123  # flags that pathlib does not take
        if not S_ISREG(os.fstat(opened.fileno()).st_mode):
            return b""
        return blake2b(opened.read(LARGE + 1), digest_size=16).digest()


def files_of(root: Path) -> frozenset[File]:
    return frozenset(islice(files(str(root)), MOST))


def files(folder: str) -> Iterator[File]:
    try:
        with os.scandir(folder) as found:
            listed = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith(".") and entry.name not in PASSED_OVER:
                yield from files(entry.path)
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        yield File(entry.path, status.st_size, status.st_mode, status.st_mtime_ns)
