"""What somebody needs of the segments that were put away, kept in a file: to unpack them all takes seconds.

A packed segment never changes, so neither does what is taken from it. What is kept of another one of its name, or for
another need, or was damaged, is taken again. Knows lines; knows no record.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from openkoi_base.files import replace_file

from .packed import length_of, lines_from, name_of, seal_of

Kept = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Excerpts:
    """The ``wanted`` lines of packed segments, kept in ``file``; ``need`` changes with what is wanted."""

    file: Path
    need: bytes
    wanted: Callable[[bytes], object]

    def of(self, paths: Iterable[Path]) -> Mapping[str, list[bytes]]:
        """What is wanted of all that was put away, by segment; of what cannot be read whole there is nothing."""
        known, now = self.kept(), Kept()
        for path in paths:
            with suppress(OSError):
                key = f"{name_of(path)} {seal_of(path)}"
                lines = known[key] if key in known else self.taken(path)
                if lines is not None:
                    now[key] = lines
        if now.keys() != known.keys():
            with suppress(OSError):  # without room for it, it is taken again next time
                self.keep(now)
        return {key.partition(" ")[0]: [line.encode() for line in lines] for key, lines in now.items()}

    def taken(self, path: Path) -> list[str] | None:
        """The wanted lines of a segment, out of itself; None unless all of it can be read."""
        lines = list(lines_from(path))
        if sum(map(len, lines)) != length_of(path):
            return None
        return [line.decode("ascii", "replace") for line in lines if self.wanted(line)]

    def kept(self) -> Kept:
        """What was kept, as it was written."""
        with suppress(OSError, ValueError):
            seal, _, text = self.file.read_text("ascii").partition("\n")
            if seal == self.seal(text):
                kept: Kept = json.loads(text)
                return kept
        return {}

    def keep(self, kept: Kept) -> None:
        """Write it down for its user alone."""
        text = json.dumps(kept)
        replace_file(self.file, f"{self.seal(text)}\n{text}")

    def seal(self, text: str) -> str:
        """The first line of the file."""
        return f"{crc32(text.encode(), crc32(self.need)):08x}"
