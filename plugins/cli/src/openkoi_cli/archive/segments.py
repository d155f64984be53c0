"""Access the files of the run log, including archived ones.

``sessions/<session>.jsonl`` is the original; ``archive/<session>.jsonl.gz`` is the same, compressed.
"""

from pathlib import Path
from typing import IO

from openkoi_base.files.filelock import is_locked
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import list_all_segments, original_name
from openkoi_runlog.segment_files import is_packed, open_segment
from openkoi_runlog.segment_names import parse_part, parse_session


@dataclass(frozen=True, slots=True)
class Segment:
    """One file of the log."""

    path: Path

    @property
    def is_archived(self) -> bool:
        """Whether it is archived."""
        return is_packed(self.path)

    @property
    def name(self) -> str:
        """Its original name."""
        return original_name(self.path)

    @property
    def session(self) -> str:
        """The id of its session."""
        return parse_session(self.path)

    @property
    def part(self) -> int:
        """Its number in the session."""
        return parse_part(self.path)

    @property
    def size(self) -> int:
        """Its size on disk in bytes; 0 if it has just been archived."""
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def is_locked(self) -> bool:
        """Whether a process is writing to it."""
        return not self.is_archived and is_locked(self.path)

    def open(self) -> IO[bytes]:
        """Open the uncompressed content, even if it has just been archived."""
        return open_segment(self.path)


@dataclass(frozen=True, slots=True)
class Log:
    """The run log in a data folder."""

    data: Path

    @property
    def sessions(self) -> Path:
        """The folder of current segments."""
        return self.data / "sessions"

    @property
    def archive(self) -> Path:
        """Folder of archived segments."""
        return self.data / "archive"

    def segments(self) -> list[Segment]:
        """Return all segments, oldest first; of one that is being archived, the uncompressed file."""
        return [Segment(path) for path in list_all_segments(self.sessions)]
