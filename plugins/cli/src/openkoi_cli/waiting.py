"""What runs have asked and nobody has answered, with what is known of those runs. Reads questions and the log.

A question outlives its run: one that waits for an answer that is a month late is put away.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_report import clipped, plural

from .plain import plain

if TYPE_CHECKING:
    from openkoi.app import App
    from openkoi_files import Questions
    from openkoi_hookspecs import PendingQuestion

MONTH = timedelta(days=30)
WAITING = "escalate"
NAMED = 8
LONGEST = 2_000
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


@dataclass(frozen=True, slots=True)
class Began:
    """How a run began: with what task, as a part of which run, in which file of the log; and how it ended, if so."""

    task: str
    parent: str
    segment: str
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits. ``task`` is the run's words; ``resume`` is what to go on with, when nothing runs."""

    waiting: "PendingQuestion"
    task: str = ""
    resume: str = ""

    @property
    def id(self) -> str:
        """As much of the id as a person has to type."""
        return self.waiting.id[:NAMED]

    @property
    def line(self) -> str:
        """The question in one line: its last one, for reasons stand before it."""
        return clipped(self.waiting.question.text.strip().rpartition("\n")[2], 160)


def pending(koi: "App") -> list[Pending]:
    """What waits, the oldest first. What is too old is put away, and what nobody will ask for any more."""
    kept, sessions = koi.services.asker.kept, koi.services.config.paths.sessions
    put_away(kept, datetime.now(UTC) - MONTH)
    there = koi.pending_questions()
    runs = runs_in(sessions) if there else {}
    over = [waiting for waiting in there if is_over(waiting.run, runs)]
    for waiting in over:
        kept.remove(waiting.id)
    return [told(waiting, runs, sessions) for waiting in there if waiting not in over]


def put_away(kept: "Questions", before: datetime) -> None:
    """Remove the questions that were asked before this, whether they were answered or not."""
    for file in kept.folder.glob("*.json"):
        found = kept.read(file)
        at = moment(found[0].at) if found else None
        if at and at < before:
            kept.remove(file.stem)


def moment(at: str) -> datetime | None:
    """When that was; None when it cannot be told."""
    try:
        read = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def runs_in(sessions: Path) -> dict[str, Began]:
    """Every run in the log, sub-tasks too."""
    from openkoi_hookspecs import events
    from openkoi_log import segments, select_from

    runs: dict[str, Began] = {}
    for path in segments(sessions):
        for record in select_from(path, (events.TaskStarted, events.RunCompleted)):
            match record.event:
                case events.TaskStarted(task=task):
                    runs[record.run] = Began(task.text, task.parent, path.name)
                case events.RunCompleted(decision=ruling) if record.run in runs:
                    runs[record.run] = replace(runs[record.run], ended=str(ruling.action))
    return runs


def outermost(run: str, runs: Mapping[str, Began]) -> str:
    """The task that a run is a part of, or is."""
    seen: set[str] = set()
    while run in runs and runs[run].parent in runs and run not in seen:
        seen.add(run)
        run = runs[run].parent
    return run


def is_over(run: str, runs: Mapping[str, Began]) -> bool:
    """Whether a run came to an end from which nobody goes on."""
    whole = outermost(run, runs)
    return whole in runs and runs[whole].ended not in ("", WAITING)


def told(waiting: "PendingQuestion", runs: Mapping[str, Began], sessions: Path) -> Pending:
    """A question with what the log knows of its run."""
    whole = outermost(waiting.run, runs)
    if whole not in runs:
        return Pending(waiting)
    own = runs.get(waiting.run, runs[whole])
    return Pending(waiting, own.task, "" if alive(sessions, runs[whole].segment) else whole)


def alive(sessions: Path, segment: str) -> bool:
    """Whether a process still writes what this file of the log belongs to."""
    from openkoi_files.filelock import held_by_another
    from openkoi_log import segments

    return any(held_by_another(path) for path in segments(sessions, segment.partition(".")[0]))


def age(at: str, now: datetime) -> str:
    """How long ago something was asked."""
    then = moment(at)
    seconds = int((now - then).total_seconds()) if then else 0
    count, unit = next(((seconds // size, unit) for size, unit in UNITS if seconds >= size), (0, ""))
    return f"{plural(count, unit)} ago" if count else "just now"


def shown(text: str) -> Iterable[str]:
    """The lines of a question; what is very long is told to be longer."""
    more = len(text) - LONGEST
    yield from plain(text[:LONGEST].strip()).split("\n")
    if more > 0:
        yield f"… and {plural(more, 'character')} more, which --format json shows"


def listed(there: Sequence[Pending]) -> str:
    """The ids, for a sentence."""
    return ", ".join(one.id for one in there)
