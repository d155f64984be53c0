"""What a run was shown of which file. An edit is only made of text that was shown or that the run wrote itself.

It is kept as the text, not as line numbers: those move with every edit, the text that a model knows does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Stamp: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class Seen:
    """One run's memory of files. ``stamps`` holds each file that was read or written, as it was then.

    ``outputs`` are the files outside the workspace in which its commands' long outputs are kept.
    """

    pieces: dict[Path, list[str]] = field(default_factory=dict)
    stamps: dict[Path, Stamp] = field(default_factory=dict)
    outputs: set[Path] = field(default_factory=set)

    def show(self, path: Path, text: str) -> None:
        """Note that a piece of a file was shown."""
        pieces = self.pieces.setdefault(path, [])
        if text not in pieces:
            pieces.append(text)

    def read(self, path: Path, text: str) -> None:
        """Note that a file was read or written, and the piece of it that is known by that."""
        self.show(path, text)
        self.note(path)

    def note(self, path: Path) -> None:
        """Note that a file is known as it is at this moment."""
        self.stamps[path] = stamp(path)

    def current(self, path: Path) -> bool:
        """Tell whether a file was read and has not changed since."""
        return self.stamps.get(path) == stamp(path)

    def move(self, path: Path, to: Path) -> None:
        """Note that a file, as it is known, has another name now."""
        if pieces := self.pieces.get(path):
            self.pieces[to] = pieces
        self.forget(path)

    def forget(self, path: Path) -> None:
        """Note that a file is gone."""
        self.pieces.pop(path, None)
        self.stamps.pop(path, None)

    def knows(self, path: Path) -> bool:
        """Tell whether anything of a file was shown."""
        return path in self.pieces

    def covers(self, path: Path, lines: Iterable[str]) -> bool:
        """Tell whether each of these lines of a file, or the part of it that is given, was shown."""
        pieces = self.pieces.get(path, [])
        return all(any(line.strip() in piece for piece in pieces) for line in lines)


def stamp(path: Path) -> Stamp:
    """Return what changes whenever a file does."""
    facts = path.stat()
    return facts.st_mtime_ns, facts.st_size
