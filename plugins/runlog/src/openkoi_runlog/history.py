"""Past tasks, told from the log alone and what was archived of it, so that any memory or none will do. Knows lines of
the log; knows no view.

Only the lines that begin and end tasks, or that cost something, are read; all others are passed over unparsed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from openkoi_base.files.short_ids import find_by_prefix
from openkoi_hookspecs import NextAction, Record, RunState, events

from .packed import name_of
from .reading import all_segments, read_segment
from .segment_names import is_by_time, session_of
from .selecting import select_from

ENDS = (events.TaskStarted, events.RunCompleted, events.RunFailed)


@dataclass(frozen=True, slots=True)
class Past:
    """One task as the log tells it. ``ended`` is a decision, failed, interrupted, or empty without an end.

    ``segment`` is where it began; of an ``unjudged`` one only the judgement is missing.
    """

    run: str
    at: str
    text: str
    model: str
    ended: str = ""
    tokens: int = 0
    usd: float = 0.0
    segment: str = ""
    unjudged: bool = False

    @property
    def session(self) -> str:
        """The session that it belongs to."""
        return session_of(Path(self.segment))

    @property
    def resumable(self) -> bool:
        """Whether something is left to do: it was interrupted, failed, waits for the user, or was not judged."""
        return self.unjudged or self.cut_short or self.ended == NextAction.ESCALATE

    @property
    def cut_short(self) -> bool:
        """Whether it has no result."""
        return self.ended in ("", RunState.FAILED, RunState.INTERRUPTED)

    def status(self, *, under_way: bool) -> str:
        """Say how it ended, or that it is running; one that was killed was interrupted."""
        return RunState.RUNNING if under_way else self.ended or RunState.INTERRUPTED


@dataclass(frozen=True, slots=True)
class Call:
    """One paid call of a model."""

    at: str
    model: str
    tokens: int
    usd: float


def past_tasks(folder: Path, newest: int = 0) -> list[Past]:
    """Tasks, newest first; all, or so many of the newest ones. Sub-tasks are part of theirs.

    A session that a program named may contain new tasks, whatever its name; all of those are read.
    """
    sessions = dict.fromkeys(map(session_of, all_segments(folder)))
    timed = [session for session in sessions if is_by_time(session)]
    tasks = read_tasks(folder, [session for session in sessions if not is_by_time(session)])
    enough = len(tasks) + newest
    for session in reversed(timed):
        if newest and len(tasks) >= enough:
            break
        tasks |= read_tasks(folder, [session])
    return sorted(tasks.values(), key=lambda past: past.at, reverse=True)[: newest or None]


def read_tasks(folder: Path, sessions: Iterable[str]) -> dict[str, Past]:
    """Read the tasks of sessions, by run."""
    tasks: dict[str, Past] = {}
    for session in sessions:
        for path in all_segments(folder, session):
            for record in select_from(path, ENDS):
                note(tasks, record, name_of(path))
    return tasks


def note(tasks: dict[str, Past], record: Record, segment: str) -> None:
    match record.event:
        case events.TaskStarted(task=task, model=model) if not task.parent:
            tasks[record.run] = Past(record.run, record.at, task.text, model, segment=segment)
        case events.RunCompleted(decision=ruling, cost=spent) if record.run in tasks:
            past = replace(tasks[record.run], ended=str(ruling.action), unjudged=ruling.unjudged)
            tasks[record.run] = replace(past, tokens=spent.tokens, usd=spent.usd)
        case events.RunFailed(state=state) if record.run in tasks:
            tasks[record.run] = replace(tasks[record.run], ended=state.value)


def paid_calls(folder: Path) -> Iterator[Call]:
    """Every call of a model that the log holds."""
    for path in all_segments(folder):
        for record in select_from(path, (events.ModelResponse, events.ModelResponseBroken)):
            if isinstance(paid := record.event, events.Paid):
                yield Call(record.at, paid.model, paid.usage.total, paid.usd)


def find_task(folder: Path, id: str) -> Past:
    """The task of that id, or the only one whose id begins so; the last one without an id.

    Raises PluginNotFoundError.
    """
    tasks = past_tasks(folder, newest=0 if id else 1)
    return find_by_prefix(id, {past.run: past for past in tasks}, "task")


def records_of(folder: Path, past: Past) -> list[Record]:
    """All records of a task's session, the task's own and its sub-tasks' among them, however often it was resumed."""
    paths = all_segments(folder, past.session)
    return [record for path in paths for record in read_segment(path) if record.run]
