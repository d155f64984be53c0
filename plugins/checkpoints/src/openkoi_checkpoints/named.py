"""The paths in folders that are passed over that tools of ours named before they wrote them.

A checkpoint does not look into such folders, but it looks at these paths. Knows notes; knows no content.
"""

import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .ignored import folders_above
from .manifest import Entry, Kind
from .private import writable
from .survey import Rules, is_cache, noticed


@dataclass(frozen=True, slots=True)
class Named:
    """The notes of one workspace, a line each: when a path was named, and what stood there then."""

    path: Path
    root: Path

    def lines(self) -> Iterator[tuple[str, int, Entry | None]]:
        """Each path, when it was named, and what it was; a line that a crash cut off is left out."""
        with suppress(FileNotFoundError):
            for line in self.path.read_bytes().splitlines():
                with suppress(ValueError):
                    path, at, mode, size, look = json.loads(line)
                    yield path, at, Entry(path, Kind.IGNORED, mode, size, look) if look else None

    def add(self, path: str) -> None:
        """Note a path as it is now."""
        entry = self.entry(path)
        fields = (entry.mode, entry.size, entry.digest) if entry else (0, 0, "")
        with writable(self.path.parent), self.path.open("ab") as file:
            file.write(json.dumps([path, time.time_ns(), *fields]).encode("ascii") + b"\n")

    def entry(self, path: str) -> Entry | None:
        """What stands at a path, from outside; nothing where it is no file."""
        with suppress(OSError):
            status = (self.root / path).lstat()
            if stat.S_ISREG(status.st_mode):
                return noticed(path, Kind.IGNORED, status)
        return None

    def now(self) -> dict[str, Entry]:
        """All of them that are there."""
        entries = (self.entry(path) for path in self.paths())
        return {entry.path: entry for entry in entries if entry}

    def paths(self) -> set[str]:
        """All that were ever named."""
        return {path for path, _, _ in self.lines()}

    def then(self, id: str) -> Mapping[str, Entry]:
        """What stood at those that were named only after a checkpoint was taken."""
        taken, found = int(id.partition("-")[0], 16), dict[str, Entry | None]()
        for path, at, entry in self.lines():
            if at > taken:
                found.setdefault(path, entry)
        return {path: entry for path, entry in found.items() if entry}


def passed_over(root: Path, path: str, rules: Rules) -> bool:
    """Whether a path lies in a folder that is passed over; a repository's own folder is left out."""
    above = [folder for folder in folders_above(path) if folder]
    names = {os.path.basename(folder) for folder in above}  # noqa: PTH119  # they are no paths of this machine
    return ".git" not in names and (bool(names & rules.skip) or any(is_cache(str(root / one)) for one in above))
