"""What a checkpoint remembers of each path. Knows how it is written down; knows no disk."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

Stamp: TypeAlias = tuple[int, ...]


FORMAT = 2


class Kind(StrEnum):
    """What stands at a path. Files, folders and links are kept; of all else only how it looks from outside is known.

    Large and ignored files are known by size and time; a crowded folder is an ignored one with too much in it; what is
    passed over, a cache or a pipe, is only known to be there; a pipe has a size of one, a folder none.
    """

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    LARGE = "large"
    IGNORED = "ignored"
    CROWDED = "crowded"
    PASSED = "passed over"
    UNREADABLE = "unreadable"


KEPT = (Kind.FILE, Kind.FOLDER, Kind.LINK)
NOTICED = (Kind.LARGE, Kind.IGNORED)
FILES = (Kind.FILE, *NOTICED)


@dataclass(frozen=True, slots=True)
class Entry:
    """One path. ``digest`` is of a file's bytes; of one that is only noticed it is its size and time.

    ``stamp`` lets an unchanged file be recognised without reading it; a short one, of size and time, does not.
    """

    path: str
    kind: Kind
    mode: int
    size: int = 0
    digest: str = ""
    target: str = ""
    stamp: Stamp = field(default=(), compare=False)

    @property
    def look(self) -> str:
        """Size and time of a file; empty when they are not known."""
        return look(*self.stamp[:2]) if self.stamp else self.digest if self.kind in NOTICED else ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def with_mode(self, mode: int) -> "Entry":
        """The same with another mode."""
        return replace(self, mode=mode)

    def at(self, path: str) -> "Entry":
        """The same at another path."""
        return replace(self, path=path)

    def same_content(self, other: "Entry") -> bool:
        """Whether both are one thing, whatever their modes; files of which one was only noticed are told by looks."""
        if self.kind is other.kind:
            return (self.digest, self.target) == (other.digest, other.target)
        mixed = self.kind in FILES and other.kind in FILES
        return mixed and self.look != "" and self.look == other.look


def look(size: int, time: int) -> str:
    """How a file looks from outside."""
    return f"{size}:{time}"


def same(one: Entry | None, other: Entry | None) -> bool:
    """Whether nothing has changed from one to the other."""
    if one is None or other is None:
        return one is other
    return one.mode == other.mode and one.same_content(other)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All paths of a workspace at one time."""

    id: str
    root: str
    entries: Mapping[str, Entry]

    def written(self) -> bytes:
        """Write it as JSON; names that are not UTF-8 survive, because surrogates are escaped."""
        rows = [(e.path, e.kind, e.mode, e.size, e.digest, e.target, *e.stamp) for e in self.entries.values()]
        return json.dumps({"format": FORMAT, "root": self.root, "entries": rows}, separators=(",", ":")).encode("ascii")

    @classmethod
    def read(cls, id: str, data: bytes) -> "Manifest":
        """Read what ``written`` wrote; raises ValueError, KeyError or TypeError for anything else."""
        found = json.loads(data)
        if found["format"] != FORMAT:
            raise ValueError(f"it is of format {found['format']}, and not of {FORMAT}")
        entries = [
            Entry(path, Kind(kind), mode, size, digest, target, tuple(stamp))
            for path, kind, mode, size, digest, target, *stamp in found["entries"]
        ]
        return cls(id, found["root"], {entry.path: entry for entry in entries})
