"""What a checkpoint remembers of each path. Knows how it is written down; knows no disk."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Stamp: TypeAlias = tuple[int, ...]


class Kind(StrEnum):
    """What stands at a path. Of the large and the unreadable only their being there is known."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    LARGE = "large"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path. ``digest`` is of a file's bytes; of a large one it is its size and time, which is all we look at.

    ``stamp`` lets an unchanged file be recognised without reading it; an empty one is not to be trusted.
    """

    path: str
    kind: Kind
    mode: int
    size: int = 0
    digest: str = ""
    target: str = ""
    stamp: Stamp = field(default=(), compare=False)

    @property
    def kept(self) -> bool:
        """Whether it can be brought back."""
        return self.kind in (Kind.FILE, Kind.FOLDER, Kind.LINK)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All paths of a workspace at one time."""

    id: str
    root: str
    entries: Mapping[str, Entry]

    def written(self) -> bytes:
        """Write it as JSON; names that are not UTF-8 survive, because surrogates are escaped."""
        rows = [(e.path, e.kind, e.mode, e.size, e.digest, e.target, *e.stamp) for e in self.entries.values()]
        return json.dumps({"format": 1, "root": self.root, "entries": rows}, separators=(",", ":")).encode("ascii")

    @classmethod
    def read(cls, id: str, data: bytes) -> "Manifest":
        """Read what ``written`` wrote; raises ValueError, KeyError or TypeError for anything else."""
        found = json.loads(data)
        entries = [
            Entry(path, Kind(kind), mode, size, digest, target, tuple(stamp))
            for path, kind, mode, size, digest, target, *stamp in found["entries"]
        ]
        return cls(id, found["root"], {entry.path: entry for entry in entries})
