"""Select tasks of the log: all, one, or those since a time; each with its sub-tasks."""

from collections.abc import Iterable
from datetime import UTC, datetime

from openkoi_base.files.short_ids import find_by_prefix
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.events import TaskStarted
from openkoi_hookspecs.lazy_dataclass import dataclass

from .lines import SegmentLine, read_lines
from .segments import Log


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """A task's id or prefix, and a day or time; empty selects all."""

    task: str = ""
    since: str = ""

    @property
    def selects_all(self) -> bool:
        """Whether all tasks are selected."""
        return not (self.task or self.since)


@dataclass(frozen=True, slots=True)
class RunStart:
    """The start of a run."""

    run: str
    parent: str
    at: str


def select_runs(log: Log, choice: TaskSelection) -> frozenset[str] | None:
    """Return the selected runs, or None for all; raise KoiError for an unknown task or invalid time."""
    if choice.selects_all:
        return None
    since = parse_time(choice.since)
    starts = [
        read_start(line) for segment in log.segments() for line in read_lines(segment) if line.is_kind(TaskStarted)
    ]
    firsts = {start.run: start for start in reversed(starts)}
    tasks = [start for start in firsts.values() if start.parent not in firsts]
    selected = find_task(tasks, choice.task) if choice.task else tasks
    return add_subtasks({start.run for start in selected if start.at >= since}, firsts.values())


def read_start(line: SegmentLine) -> RunStart:
    """Return the start of a run from its line."""
    event = line.record.event
    return RunStart(line.run, event.task.parent if isinstance(event, TaskStarted) else "", line.at)


def find_task(tasks: Iterable[RunStart], prefix: str) -> list[RunStart]:
    """Return the only task whose id has this prefix."""
    latest = sorted(tasks, key=lambda start: start.at, reverse=True)
    return [find_by_prefix(prefix, {start.run: start for start in latest}, "task")]


def add_subtasks(runs: set[str], starts: Iterable[RunStart]) -> frozenset[str]:
    """Return the runs with all their sub-tasks."""
    selected = set(runs)
    waiting = [start for start in starts if start.parent]
    while more := {start.run for start in waiting if start.parent in selected} - selected:
        selected |= more
    return frozenset(selected)


def parse_time(since: str) -> str:
    """Return a day or time in the log's format; a day starts at midnight UTC."""
    if not since:
        return ""
    try:
        read = datetime.fromisoformat(since)
    except ValueError:
        raise KoiError(f"Invalid date {since!r}. Use 2026-11-21 or 2026-11-21T09:30.") from None
    at = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
