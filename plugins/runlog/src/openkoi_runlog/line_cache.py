"""Cache the needed lines of archived (compressed) segments, because decompressing all of them takes seconds.

A packed segment never changes, so neither do its wanted lines. A cache entry for another segment of that name, or for
another need, or a damaged one, is replaced.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from openkoi_base.files import replace_file
from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment_files import iterate_lines, original_name, read_checksum, uncompressed_length

CachedLines = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class LineCache:
    """The ``wanted`` lines of packed segments, kept in ``file``; ``need`` changes with what is wanted."""

    file: Path
    need: bytes
    wanted: Callable[[bytes], object]

    def load(self, paths: Iterable[Path]) -> Mapping[str, list[bytes]]:
        """Return the wanted lines of all archived segments, by segment; skip unreadable ones."""
        known, now = self.read_cache(), CachedLines()
        for path in paths:
            with suppress(OSError):
                key = f"{original_name(path)} {read_checksum(path)}"
                lines = known[key] if key in known else self.extract_lines(path)
                if lines is not None:
                    now[key] = lines
        if now.keys() != known.keys():
            with suppress(OSError):  # without room for it, it is taken again next time
                self.write_cache(now)
        return {key.partition(" ")[0]: [line.encode() for line in lines] for key, lines in now.items()}

    def extract_lines(self, path: Path) -> list[str] | None:
        """Return the wanted lines of a segment; None unless all of it is readable."""
        lines = list(iterate_lines(path))
        if sum(map(len, lines)) != uncompressed_length(path):
            return None
        return [line.decode("ascii", "replace") for line in lines if self.wanted(line)]

    def read_cache(self) -> CachedLines:
        """Return the cached lines."""
        with suppress(OSError, ValueError):
            seal, _, text = self.file.read_text("ascii").partition("\n")
            if seal == self.checksum(text):
                kept: CachedLines = json.loads(text)
                return kept
        return {}

    def write_cache(self, kept: CachedLines) -> None:
        """Save the cache for this user only."""
        text = json.dumps(kept)
        replace_file(self.file, f"{self.checksum(text)}\n{text}")

    def checksum(self, text: str) -> str:
        """Return the first line of the file."""
        return f"{crc32(text.encode(), crc32(self.need)):08x}"
