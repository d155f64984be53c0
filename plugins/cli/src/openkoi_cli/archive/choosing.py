"""Which tasks are meant: all, one, or those since a day; each with its parts. Knows how tasks begin."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from openkoi_base.files.short_ids import find_by_prefix
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.events import TaskStarted

from .lines import SegmentLine, lines_of
from .segments import Log


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """A task's id or prefix, and a day or time; empty selects all."""

    task: str = ""
    since: str = ""

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return not (self.task or self.since)


@dataclass(frozen=True, slots=True)
class RunStart:
    """How a run began."""

    run: str
    parent: str
    at: str


def chosen(log: Log, choice: TaskSelection) -> frozenset[str] | None:
    """The runs that are meant; None for all. Raises KoiError for a task that is not there, or a day that is none."""
    if choice.everything:
        return None
    since = moment(choice.since)
    starts = [start_of(line) for segment in log.segments() for line in lines_of(segment) if line.is_kind(TaskStarted)]
    firsts = {start.run: start for start in reversed(starts)}
    tasks = [start for start in firsts.values() if start.parent not in firsts]
    meant = find_task(tasks, choice.task) if choice.task else tasks
    return with_parts({start.run for start in meant if start.at >= since}, firsts.values())


def start_of(line: SegmentLine) -> RunStart:
    """The beginning of a run, in a line."""
    event = line.record.event
    return RunStart(line.run, event.task.parent if isinstance(event, TaskStarted) else "", line.at)


def find_task(tasks: Iterable[RunStart], id: str) -> list[RunStart]:
    """The only task whose id begins so."""
    latest = sorted(tasks, key=lambda start: start.at, reverse=True)
    return [find_by_prefix(id, {start.run: start for start in latest}, "task")]


def with_parts(runs: set[str], starts: Iterable[RunStart]) -> frozenset[str]:
    """The same with the parts of these runs, and theirs."""
    meant = set(runs)
    waiting = [start for start in starts if start.parent]
    while more := {start.run for start in waiting if start.parent in meant} - meant:
        meant |= more
    return frozenset(meant)


def moment(since: str) -> str:
    """A day or moment as the log writes moments; a day begins at midnight, UTC."""
    if not since:
        return ""
    try:
        read = datetime.fromisoformat(since)
    except ValueError:
        raise KoiError(f"{since!r} is not a date. Write 2026-11-21 or 2026-11-21T09:30.") from None
    at = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
