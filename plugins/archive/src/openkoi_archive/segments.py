"""The files of the run log, those that were put away among them. Knows names and folders; knows no record.

``sessions/<session>.jsonl`` is as it was written; ``archive/<session>.jsonl.gz`` is the same, compressed.
"""

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from openkoi_files.filelock import held_by_another
from openkoi_log.reading import part_of, session_of

ENDING, PACKED = ".jsonl", ".jsonl.gz"


@dataclass(frozen=True, slots=True)
class Segment:
    """One file of the log."""

    path: Path

    @property
    def archived(self) -> bool:
        """Whether it was put away."""
        return self.path.name.endswith(PACKED)

    @property
    def name(self) -> str:
        """Its name as it was written."""
        return self.path.name.removesuffix(".gz")

    @property
    def session(self) -> str:
        """Whose it is."""
        return session_of(Path(self.name))

    @property
    def part(self) -> int:
        """Which of the session's it is."""
        return part_of(Path(self.name))

    @property
    def size(self) -> int:
        """Bytes on the disk; none when it has just been put away."""
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def held(self) -> bool:
        """Whether a process still writes it."""
        return not self.archived and held_by_another(self.path)

    def open(self) -> IO[bytes]:
        """Read it, as it was written."""
        return gzip.open(self.path) if self.archived else self.path.open("rb")  # type: ignore[return-value]  # both read


@dataclass(frozen=True, slots=True)
class Log:
    """The run log in a data folder."""

    data: Path

    @property
    def sessions(self) -> Path:
        """Where it is written."""
        return self.data / "sessions"

    @property
    def archive(self) -> Path:
        """Where it is put away."""
        return self.data / "archive"

    def segments(self) -> list[Segment]:
        """All of it, oldest first; of a segment that is just being put away, the one that was written."""
        written = {path.name: Segment(path) for path in self.sessions.glob(f"*{ENDING}")}
        packed = {segment.name: segment for segment in map(Segment, self.archive.glob(f"*{PACKED}"))}
        both = {**packed, **written}
        return sorted(both.values(), key=lambda segment: (segment.session, segment.part))
