"""What the run log tells of tasks that were judged: category, rubrics, findings. Knows lines of it; decides nothing.

Only the lines that say so are read, of the segments that were written to lately.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import Finding, Task, events
from openkoi_log import decode, segments
from openkoi_log.transcript import opened

STARTED, VOTED, JUDGED = b'"type":"task_start"', b'"type":"judge.voted"', b'"type":"evaluation"'
TELLING = (STARTED, VOTED, JUDGED)
HEAD = 200
MOST_BYTES = 64_000_000


@dataclass(slots=True)
class Judged:
    """A task that was judged: by which rubrics, and all that was found wrong with its attempts."""

    run: str
    at: str
    category: str
    rubrics: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def judged_tasks(sessions: Path, since: float) -> list[Judged]:
    """The tasks that some rubric judged, in segments that were written to after ``since``."""
    tasks: dict[str, Judged] = {}
    for path in newest(sessions, since):
        with suppress(OSError):
            read(path, tasks)
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


def read(path: Path, tasks: dict[str, Judged]) -> None:
    """Take in one segment. A damaged line costs itself alone."""
    for said in lines(path):
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            take(tasks, said)


def lines(path: Path) -> Iterator[dict[str, object]]:
    """The lines that tell something, as what they say."""
    with path.open("rb") as file:
        for line in file:
            if any(mark in line[:HEAD] for mark in TELLING):
                with suppress(ValueError, RecursionError):
                    yield opened(line)


def take(tasks: dict[str, Judged], said: dict[str, object]) -> None:
    """Take in what one line says. Raises what a line of another shape raises."""
    run, data = str(said["run"]), said["data"]
    if said["type"] == "task_start":
        task: Task = decode(events.TaskStarted, data).task
        if counts(task):
            tasks.setdefault(run, Judged(run, str(said["ts"]), task.category)).category = task.category
    elif run in tasks and said["type"] == "judge.voted":
        rubric = data["rubric"] if isinstance(data, dict) else ""
        tasks[run].rubrics.add(str(rubric))
    elif run in tasks:
        tasks[run].findings += decode(events.Evaluated, data).evaluation.open


def counts(task: Task) -> bool:
    """Whether it is a person's task, and not a part of one, or a trial of a judge."""
    by_no_model = task.agent is not None and bool(task.agent.worker) and task.agent.team is None
    return not task.parent and not by_no_model
