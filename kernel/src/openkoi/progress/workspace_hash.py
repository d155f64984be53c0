"""Detect whether a folder is in a state that is new in this run.

A file that was not written since the run began is identified by size and time, any other file by its content, so that a
change and its undo make no difference. Caches, hidden folders and version control are skipped: running tests changes
nothing.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from stat import S_ISLNK, S_ISREG

from openkoi_hookspecs.lazy_dataclass import dataclass

from .gain import Gain
from .volatile import form_of_name, mask_volatile, mask_volatile_growing

PASSED_OVER = frozenset({"__pycache__", "node_modules", "venv", "build", "dist", "target"})
MAX_FILES = 5_000
MAX_FILE_BYTES = 1_000_000
READING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


@dataclass(frozen=True, slots=True)
class File:
    """A file as its folder lists it. ``stamp`` changes whenever it is written."""

    path: str
    size: int
    mode: int
    stamp: int


@dataclass(frozen=True, slots=True)
class Content:
    """Digests of a file: of its exact content, without volatile parts, and without repeated lines at its end."""

    exact: bytes
    form: bytes
    growing: bytes


@dataclass(slots=True)
class SeenStates:
    """The states that a folder was in; in a very large folder, only the first files count."""

    first: frozenset[File] = frozenset()
    contents: dict[File, Content] = field(default_factory=dict)
    seen: set[bytes] = field(default_factory=set)

    def begin(self, root: Path) -> None:
        """Record the state before anything is written."""
        self.first = frozenset(files_of(root))
        self.seen.update(self.states(self.first))

    def measure_change(self, root: Path, *, by_program: bool = False) -> Gain:
        """Return the progress that the workspace shows, and remember its state: none if it was seen before.

        A state that differs from an earlier one only in volatile parts is not real progress; neither is a file to which
        a program appends lines of one kind.
        """
        if not self.seen:
            self.begin(root)
            return Gain.REAL
        exact, form, growing = self.states(files_of(root))
        new, real = exact not in self.seen, (growing if by_program else form) not in self.seen
        self.seen.update((exact, form, growing))
        return Gain.REAL if new and real else Gain.SOMETHING if new else Gain.NOTHING

    def states(self, files: frozenset[File]) -> tuple[bytes, bytes, bytes]:
        """Return digests of the workspace: of its exact contents, and of the two ways in which contents are alike."""
        known = [(file, self.content(file)) for file in files]
        return (
            digest_of("exact", {(file.path, file.mode, content.exact) for file, content in known}),
            digest_of("form", {(form_of_name(file.path), file.mode, content.form) for file, content in known}),
            digest_of("growing", {(form_of_name(file.path), file.mode, content.growing) for file, content in known}),
        )

    def content(self, file: File) -> Content:
        """Return a file's content, or its time if it is large or has not been written since the run began."""
        if file in self.first or file.size > MAX_FILE_BYTES:
            stamp = str(file.stamp).encode()
            return Content(stamp, stamp, stamp)
        if file not in self.contents:
            self.contents[file] = content_of(held_in(file))
        return self.contents[file]


def content_of(held: bytes) -> Content:
    text = held.decode("utf-8", "surrogateescape")
    return Content(*map(hash_text, (text, mask_volatile(text), mask_volatile_growing(text))))


def hash_text(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).digest()


def digest_of(kind: str, files: set[tuple[str, int, bytes]]) -> bytes:
    """Return the digest of a state."""
    seen = blake2b(kind.encode(), digest_size=16)
    for path, mode, content in sorted(files):
        seen.update(f"{path}\0{mode}\0".encode("utf-8", "surrogateescape"))
        seen.update(content)
    return seen.digest()


def held_in(file: File) -> bytes:
    """Return a file's bytes, or a link's target; nothing for other kinds, since a pipe would never end."""
    try:
        if S_ISLNK(file.mode):
            return os.fsencode(Path(file.path).readlink())
        return bytes_of(file.path) if S_ISREG(file.mode) else b""
    except OSError:
        return b""


def bytes_of(path: str) -> bytes:
    """Return the bytes of a regular file; do not follow a link or wait for a pipe that may have replaced it."""
    with open(os.open(path, READING), "rb") as opened:  # noqa: PTH123  # flags that pathlib does not take
        if not S_ISREG(os.fstat(opened.fileno()).st_mode):
            return b""
        return opened.read(MAX_FILE_BYTES + 1)


def files_of(root: Path) -> frozenset[File]:
    return frozenset(islice(files(str(root)), MAX_FILES))


def files(root: str) -> Iterator[File]:
    folders = [root]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as found:
            for entry in sorted(found, key=lambda entry: entry.name):
                if not entry.is_dir(follow_symlinks=False):
                    with suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        yield File(entry.path, status.st_size, status.st_mode, status.st_mtime_ns)
                elif not entry.name.startswith(".") and entry.name not in PASSED_OVER:
                    folders.append(entry.path)
