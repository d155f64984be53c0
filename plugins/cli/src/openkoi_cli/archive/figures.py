"""What the log comes to, in numbers. Knows lines; knows no view."""

from dataclasses import dataclass, field
from itertools import chain

from openkoi_hookspecs.events import TaskStarted

from .choosing import start_of
from .lines import SegmentError, lines_of
from .segments import Log


@dataclass(slots=True)
class Figures:
    """Counts, sizes in bytes, and the moments of the oldest and newest record; ``size`` includes images and files."""

    sessions: int = 0
    archived_sessions: int = 0
    records: int = 0
    tasks: int = 0
    size: int = 0
    archived_size: int = 0
    oldest: str = ""
    newest: str = ""
    faults: list[SegmentError] = field(default_factory=list)


def figures_of(log: Log) -> Figures:
    """Count what there is."""
    segments, told = log.segments(), Figures()
    told.sessions = len({segment.session for segment in segments})
    told.archived_sessions = len({segment.session for segment in segments if segment.archived})
    told.archived_size = sum(segment.size for segment in segments if segment.archived)
    told.size = sum(segment.size for segment in segments) - told.archived_size
    told.size += sum(path.stat().st_size for path in (log.data / "blobs").rglob("*") if path.is_file())
    tasks: set[str] = set()
    for line in chain.from_iterable(lines_of(segment, told.faults.append) for segment in segments):
        told.records += 1
        told.oldest, told.newest = min(told.oldest or line.at, line.at), max(told.newest, line.at)
        if line.is_kind(TaskStarted) and not start_of(line).parent:
            tasks.add(line.run)
    told.tasks = len(tasks)
    return told
