"""The files of the run log, those that were put away among them. Knows names and folders; knows no record.

``sessions/<session>.jsonl`` is as it was written; ``archive/<session>.jsonl.gz`` is the same, compressed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import IO

from openkoi_files.filelock import is_locked
from openkoi_log import all_segments, name_of
from openkoi_log.packed import is_packed, unpacked
from openkoi_log.segment_names import part_of, session_of


@dataclass(frozen=True, slots=True)
class Segment:
    """One file of the log."""

    path: Path

    @property
    def archived(self) -> bool:
        """Whether it was put away."""
        return is_packed(self.path)

    @property
    def name(self) -> str:
        """Its name as it was written."""
        return name_of(self.path)

    @property
    def session(self) -> str:
        """Whose it is."""
        return session_of(self.path)

    @property
    def part(self) -> int:
        """Which of the session's it is."""
        return part_of(self.path)

    @property
    def size(self) -> int:
        """Bytes on the disk; none when it has just been put away."""
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def held(self) -> bool:
        """Whether a process still writes it."""
        return not self.archived and is_locked(self.path)

    def open(self) -> IO[bytes]:
        """Read it, as it was written, also when it has just been put away."""
        return unpacked(self.path)


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
        return [Segment(path) for path in all_segments(self.sessions)]
