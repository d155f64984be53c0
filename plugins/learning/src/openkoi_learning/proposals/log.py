"""What the run log tells of tasks that were judged: category, rubrics, findings. Knows records; decides nothing.

Only the lines that say so are read, of the segments that were written to lately.
"""

from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import Finding, Record, Task, events
from openkoi_runlog import segments, select_from

TELLING = (events.TaskStarted, events.JudgeVoted, events.EvaluationFinished)
MOST_BYTES = 64_000_000


@dataclass(slots=True)
class JudgedTask:
    """A task that was judged: by which rubrics, and all that was found wrong with its attempts."""

    run: str
    at: str
    category: str
    rubrics: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def judged_tasks(sessions: Path, since: float) -> list[JudgedTask]:
    """The tasks that some rubric judged, in segments that were written to after ``since``."""
    tasks: dict[str, JudgedTask] = {}
    for path in newest(sessions, since):
        for record in select_from(path, TELLING):
            take(tasks, record)
    return sorted((one for one in tasks.values() if one.rubrics), key=lambda one: (one.at, one.run))


def newest(sessions: Path, since: float) -> list[Path]:
    """The segments to read, oldest first: of those since then as many of the newest as are not too much to read."""
    kept: list[Path] = []
    room = MOST_BYTES
    for path in reversed(segments(sessions)):
        found = path.stat()
        room -= found.st_size
        if room < 0:
            break
        kept += [path] if found.st_mtime >= since else []
    return kept[::-1]


def take(tasks: dict[str, JudgedTask], record: Record) -> None:
    """Take in what one record says."""
    match record.event:
        case events.TaskStarted(task=task) if counts(task):
            tasks.setdefault(record.run, JudgedTask(record.run, record.at, task.category)).category = task.category
        case events.EvaluationFinished(evaluation=evaluation) if record.run in tasks:
            tasks[record.run].findings += evaluation.open
        case events.JudgeVoted(rubric=rubric) if record.run in tasks:
            tasks[record.run].rubrics.add(rubric)


def counts(task: Task) -> bool:
    """Whether it is a person's task, and not a part of one, or a trial of a judge."""
    by_no_model = task.agent is not None and bool(task.agent.worker) and task.agent.team is None
    return not task.parent and not by_no_model
