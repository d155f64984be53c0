"""Represent what a checkpoint records of each path, and its JSON form."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

Stamp: TypeAlias = tuple[int, ...]


FORMAT = 3


class PathKind(StrEnum):
    """Classify a path.

    Files, folders and links are stored; for all others, only the status is recorded. Large and ignored files are
    recorded by size and time; a crowded folder is an ignored one with too many files; a skipped path, a cache or a
    pipe, is only known to exist: a pipe with a size of one, a folder with none.
    """

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    LARGE = "large"
    IGNORED = "ignored"
    CROWDED = "crowded"
    SKIPPED = "skipped"
    UNREADABLE = "unreadable"


STORED_KINDS = (PathKind.FILE, PathKind.FOLDER, PathKind.LINK)
UNSTORED_FILE_KINDS = (PathKind.LARGE, PathKind.IGNORED)
FILE_KINDS = (PathKind.FILE, *UNSTORED_FILE_KINDS)
NO_FILE = -1  # size of an unreadable path where no file is left, for diffs


@dataclass(frozen=True, slots=True)
class PathEntry:
    """Describe one path.

    ``digest`` is that of the bytes, or of size and time when the content is not stored. ``stamp`` recognises an
    unchanged file without reading it; a short one, of size and time, does not.
    """

    path: str
    kind: PathKind
    mode: int
    size: int = 0
    digest: str = ""
    target: str = ""
    stamp: Stamp = field(default=(), compare=False)

    @property
    def status_digest(self) -> str:
        """Digest of a file's size and time; empty when unknown."""
        return digest_status(*self.stamp[:2]) if self.stamp else self.digest if self.kind in UNSTORED_FILE_KINDS else ""

    @property
    def is_in_store(self) -> bool:
        """Whether the bytes are stored by digest; for diffs, also those of a file that several runs changed."""
        return self.kind is PathKind.FILE or (self.kind is PathKind.UNREADABLE and self.digest != "")

    @property
    def name(self) -> str:
        """Last part of the path."""
        return self.path.rpartition("/")[2]

    def with_mode(self, mode: int) -> "PathEntry":
        """Return the same entry with another mode."""
        return replace(self, mode=mode)

    def at_path(self, path: str) -> "PathEntry":
        """Return the same entry at another path."""
        return replace(self, path=path)

    def has_same_content(self, other: "PathEntry") -> bool:
        """Return whether both are equal apart from modes; unstored files are compared by size and time."""
        if self.kind is other.kind:
            return (self.digest, self.target) == (other.digest, other.target)
        mixed = self.kind in FILE_KINDS and other.kind in FILE_KINDS
        return mixed and self.status_digest != "" and self.status_digest == other.status_digest


def digest_status(size: int, time: int) -> str:
    """Return a digest of a file's size and time."""
    return f"{size}:{time}"


def is_unchanged(one: PathEntry | None, other: PathEntry | None) -> bool:
    """Return whether nothing has changed from one entry to the other."""
    if one is None or other is None:
        return one is other
    return one.mode == other.mode and one.has_same_content(other)


def mix_changes(path: str, now: PathEntry | None) -> PathEntry:
    """Return an unreadable entry for a path that a run and others changed, with its current content for diffs."""
    if now is None or now.kind is PathKind.FOLDER:
        return PathEntry(path, PathKind.UNREADABLE, 0, NO_FILE)
    if now.kind in (PathKind.FILE, PathKind.LINK):
        return PathEntry(path, PathKind.UNREADABLE, now.mode, now.size, now.digest, now.target)
    return PathEntry(path, PathKind.UNREADABLE, 0)


@dataclass(frozen=True, slots=True)
class Manifest:
    """List all paths of a workspace at one time."""

    id: str
    root: str
    entries: Mapping[str, PathEntry]

    def to_bytes(self) -> bytes:
        """Return the manifest as JSON; names that are not UTF-8 survive, because surrogates are escaped."""
        rows = [(e.path, e.kind, e.mode, e.size, e.digest, e.target, *e.stamp) for e in self.entries.values()]
        return json.dumps({"format": FORMAT, "root": self.root, "entries": rows}, separators=(",", ":")).encode("ascii")

    @classmethod
    def from_bytes(cls, checkpoint_id: str, data: bytes) -> "Manifest":
        """Parse what ``to_bytes`` wrote; raise ValueError, KeyError or TypeError for anything else."""
        found = json.loads(data)
        if found["format"] != FORMAT:
            raise ValueError(f"its format is {found['format']}, not {FORMAT}")
        entries = [
            PathEntry(path, PathKind(kind), mode, size, digest, target, tuple(stamp))
            for path, kind, mode, size, digest, target, *stamp in found["entries"]
        ]
        return cls(checkpoint_id, found["root"], {entry.path: entry for entry in entries})


def stamps_of(entries: Mapping[str, PathEntry]) -> list[Stamp]:
    """Return the stamps, which decide whether a file must be read again."""
    return [entry.stamp for entry in entries.values()]


def add_named(entries: Mapping[str, PathEntry], named: Mapping[str, PathEntry]) -> dict[str, PathEntry]:
    """Return the scanned entries with those that tools named in skipped folders."""
    return dict(sorted({**named, **entries}.items())) if named else dict(entries)


def select_entries(entries: Mapping[str, PathEntry], some: Iterable[str]) -> dict[str, PathEntry]:
    """Return the entries of those paths that exist."""
    return {path: entries[path] for path in some if path in entries}
