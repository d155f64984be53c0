"""Find where a run starts in a segment of the log, so that a process with many runs scans each line only once."""

from collections import OrderedDict
from dataclasses import field
from pathlib import Path
from threading import Lock

from openkoi_hookspecs.lazy_dataclass import dataclass

from .record_format import parse_head
from .segment_files import iterate_lines

MAX_SEGMENTS = 8  # a process writes one; others are read when their runs are resumed or examined


@dataclass(slots=True)
class RunOffsets:
    """The offset of the first line of each run in one segment, for the part of the segment that was read."""

    path: Path
    end: int = 0
    starts: dict[bytes, int] = field(default_factory=dict)

    def update(self) -> None:
        """Read appended lines; an incomplete last line is read again once it is complete."""
        for line in iterate_lines(self.path, self.end):
            if not line.endswith(b"\n"):
                return
            if head := parse_head(line):
                self.starts.setdefault(head.run, self.end)
            self.end += len(line)


SEGMENTS: OrderedDict[Path, RunOffsets] = OrderedDict()
LOCK = Lock()


def find_run_start(path: Path, run: str) -> int | None:
    """Return the offset of the first complete line of a run in a segment that is not archived, or None."""
    with LOCK:
        offsets = SEGMENTS.pop(path, None)
        if offsets is None or offsets.end > path.stat().st_size:  # another file in its place
            offsets = RunOffsets(path)
        SEGMENTS[path] = offsets
        while len(SEGMENTS) > MAX_SEGMENTS:
            SEGMENTS.popitem(last=False)
        offsets.update()
        return offsets.starts.get(run.encode())
