"""Read the tasks that were judged from the run log: category, rubrics, findings.

Only lines of these events are read, in segments that changed recently.
"""

from dataclasses import field
from pathlib import Path

from openkoi_hookspecs import Finding, Record, Task, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import list_segments, select_from
from openkoi_runlog.last_task import REWIND_EVENTS, find_rewound

JUDGING_EVENTS = (events.TaskStarted, events.JudgeVoted, events.EvaluationFinished)
MAX_BYTES = 64_000_000


@dataclass(slots=True)
class JudgedTask:
    """A task that was judged: by which rubrics, and all findings."""

    run: str
    at: str
    category: str
    rubrics: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def find_judged_tasks(sessions: Path, since: float) -> list[JudgedTask]:
    """Return the tasks that a rubric judged and no rewind removed, in segments written after ``since``."""
    tasks: dict[str, JudgedTask] = {}
    rewinds: list[Record] = []
    for path in newest_segments(sessions, since):
        for record in select_from(path, (*JUDGING_EVENTS, *REWIND_EVENTS)):
            apply_record(tasks, record)
            rewinds += [record] if isinstance(record.event, REWIND_EVENTS) else []
    rewound = find_rewound(iter(rewinds))
    kept = (one for one in tasks.values() if one.rubrics and one.run not in rewound)
    return sorted(kept, key=lambda one: (one.at, one.run))


def newest_segments(sessions: Path, since: float) -> list[Path]:
    """Return the segments to read, oldest first: the newest ones up to a total size."""
    kept: list[Path] = []
    room = MAX_BYTES
    for path in reversed(list_segments(sessions)):
        found = path.stat()
        room -= found.st_size
        if room < 0:
            break
        kept += [path] if found.st_mtime >= since else []
    return kept[::-1]


def apply_record(tasks: dict[str, JudgedTask], record: Record) -> None:
    """Apply one record."""
    match record.event:
        case events.TaskStarted(task=task) if is_user_task(task):
            tasks.setdefault(record.run, JudgedTask(record.run, record.at, task.category)).category = task.category
        case events.EvaluationFinished(evaluation=evaluation) if record.run in tasks:
            tasks[record.run].findings += evaluation.open
        case events.JudgeVoted(rubric=rubric) if record.run in tasks:
            tasks[record.run].rubrics.add(rubric)


def is_user_task(task: Task) -> bool:
    """Return whether it is the user's own task, not a sub-task or a trial of a judge."""
    by_no_model = task.agent is not None and bool(task.agent.worker) and task.agent.team is None
    return not task.parent and not by_no_model
