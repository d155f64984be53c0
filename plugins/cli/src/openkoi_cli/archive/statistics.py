"""Compute statistics of the log."""

from dataclasses import field
from itertools import chain

from openkoi_hookspecs.events import TaskStarted
from openkoi_hookspecs.lazy_dataclass import dataclass

from .lines import SegmentError, read_lines
from .segments import Log
from .task_selection import read_start


@dataclass(slots=True)
class LogStatistics:
    """Counts, sizes in bytes, and the first and last times; ``size`` includes blobs."""

    sessions: int = 0
    archived_sessions: int = 0
    records: int = 0
    tasks: int = 0
    size: int = 0
    archived_size: int = 0
    oldest: str = ""
    newest: str = ""
    errors: list[SegmentError] = field(default_factory=list)


def measure_log(log: Log) -> LogStatistics:
    """Compute the log's statistics."""
    segments, statistics = log.segments(), LogStatistics()
    statistics.sessions = len({segment.session for segment in segments})
    statistics.archived_sessions = len({segment.session for segment in segments if segment.is_archived})
    statistics.archived_size = sum(segment.size for segment in segments if segment.is_archived)
    statistics.size = sum(segment.size for segment in segments) - statistics.archived_size
    statistics.size += sum(path.stat().st_size for path in (log.data / "blobs").rglob("*") if path.is_file())
    tasks: set[str] = set()
    for line in chain.from_iterable(read_lines(segment, statistics.errors.append) for segment in segments):
        statistics.records += 1
        statistics.oldest, statistics.newest = (
            min(statistics.oldest or line.at, line.at),
            max(statistics.newest, line.at),
        )
        if line.is_kind(TaskStarted) and not read_start(line).parent:
            tasks.add(line.run)
    statistics.tasks = len(tasks)
    return statistics
