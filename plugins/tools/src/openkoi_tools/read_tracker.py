"""Track which text of which file a run was shown.

Only shown text, or text that the run wrote, may be edited. The text is kept rather than line numbers: those move with
every edit, the text that a model knows does not.
"""

from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

Stamp: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class ReadTracker:
    """Remember files of one run.

    ``stamps`` contains each file that was read or written, as it was then. ``outputs`` are the files outside the
    workspace in which its commands' long outputs are stored.
    """

    pieces: dict[Path, list[str]] = field(default_factory=dict)
    stamps: dict[Path, Stamp] = field(default_factory=dict)
    outputs: set[Path] = field(default_factory=set)

    def add_shown(self, path: Path, text: str) -> None:
        """Record that a text of a file was shown."""
        pieces = self.pieces.setdefault(path, [])
        if text not in pieces:
            pieces.append(text)

    def add_read(self, path: Path, text: str) -> None:
        """Record that a file was read or written, and its text."""
        self.add_shown(path, text)
        self.add_stamp(path)

    def add_stamp(self, path: Path) -> None:
        """Record that the current content of a file is known."""
        self.stamps[path] = file_stamp(path)

    def is_current(self, path: Path) -> bool:
        """Return whether a file was read and has not changed since."""
        return self.stamps.get(path) == file_stamp(path)

    def move(self, path: Path, to: Path) -> None:
        """Record that a known file was renamed."""
        if pieces := self.pieces.get(path):
            self.pieces[to] = pieces
        self.forget(path)

    def forget(self, path: Path) -> None:
        """Record that a file was removed."""
        self.pieces.pop(path, None)
        self.stamps.pop(path, None)

    def has_shown(self, path: Path) -> bool:
        """Return whether anything of a file was shown."""
        return path in self.pieces

    def covers(self, path: Path, lines: Iterable[str]) -> bool:
        """Return whether each of these lines of a file, or the part of it that is given, was shown."""
        pieces = self.pieces.get(path, [])
        return all(any(line.strip() in piece for piece in pieces) for line in lines)


def file_stamp(path: Path) -> Stamp:
    """Return a file's stamp, which changes with the file."""
    facts = path.stat()
    return facts.st_mtime_ns, facts.st_size
