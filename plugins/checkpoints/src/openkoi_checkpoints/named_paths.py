"""Track paths in skipped folders that tools named before writing them.

A checkpoint does not scan such folders, but it records these paths.
"""

import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .errors import store_errors
from .gitignore import parent_folders
from .manifest import PathEntry, PathKind
from .scan import ScanRules, is_cache_folder, unstored_entry


@dataclass(frozen=True, slots=True)
class NamedPaths:
    """Record for one workspace, one line each, when a path was named and what it was at that time."""

    path: Path
    root: Path

    def read_records(self) -> Iterator[tuple[str, int, PathEntry | None]]:
        """Yield each path, when it was named, and its state then; skip a line that a crash truncated."""
        with suppress(FileNotFoundError):
            for line in self.path.read_bytes().splitlines():
                with suppress(ValueError):
                    path, at, mode, size, look = json.loads(line)
                    yield path, at, PathEntry(path, PathKind.IGNORED, mode, size, look) if look else None

    def add(self, path: str) -> None:
        """Record the current state of a path."""
        entry = self.current_entry(path)
        fields = (entry.mode, entry.size, entry.digest) if entry else (0, 0, "")
        with store_errors(self.path.parent), self.path.open("ab") as file:
            file.write(json.dumps([path, time.time_ns(), *fields]).encode("ascii") + b"\n")

    def current_entry(self, path: str) -> PathEntry | None:
        """Return the entry at a path, or None if it is not a file."""
        with suppress(OSError):
            status = (self.root / path).lstat()
            if stat.S_ISREG(status.st_mode):
                return unstored_entry(path, PathKind.IGNORED, status)
        return None

    def current_entries(self) -> dict[str, PathEntry]:
        """Return all entries that exist."""
        entries = (self.current_entry(path) for path in self.paths())
        return {entry.path: entry for entry in entries if entry}

    def paths(self) -> set[str]:
        """Return all paths that were ever named."""
        return {path for path, _, _ in self.read_records()}

    def entries_at(self, checkpoint_id: str) -> Mapping[str, PathEntry]:
        """Return the original state of paths that were first named after a checkpoint was created."""
        taken, found = int(checkpoint_id.partition("-")[0], 16), dict[str, PathEntry | None]()
        for path, at, entry in self.read_records():
            if at > taken:
                found.setdefault(path, entry)
        return {path: entry for path, entry in found.items() if entry}


def is_in_skipped_folder(root: Path, path: str, rules: ScanRules) -> bool:
    """Return whether a path lies in a skipped folder; a repository's own folder is excluded."""
    above = [folder for folder in parent_folders(path) if folder]
    names = {os.path.basename(folder) for folder in above}  # noqa: PTH119  # they are no paths of this machine
    return ".git" not in names and (bool(names & rules.skip) or any(is_cache_folder(str(root / one)) for one in above))
