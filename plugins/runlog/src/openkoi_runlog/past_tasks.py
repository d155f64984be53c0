"""List past tasks from the log alone, so that it works with any memory or none.

Only the lines that begin and end tasks, or that cost something, are parsed.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from openkoi_base.files.short_ids import find_by_prefix
from openkoi_hookspecs import KoiError, NextAction, Record, RunState, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .read_segments import list_all_segments, read_segment
from .run_view import RunView
from .run_views import build_views
from .segment_names import parse_session
from .select_records import SMALL_BYTES, select_from

NO_TASK = 'No tasks yet. To run one, run `openkoi "TASK"`.'
TASK_EVENTS = (events.TaskStarted, events.RunResumed, events.RunCompleted, events.RunFailed)
CLOCK_TICK_SECONDS = 0.02  # file systems stamp with the clock of the last tick: 10 ms behind at most; twice that


@dataclass(frozen=True, slots=True)
class PastTask:
    """One task, as the log describes it. ``ended`` is empty if the task has not ended.

    Otherwise it is the final decision, ``failed`` or ``interrupted``. ``segment`` is the file in which the task starts.
    ``unjudged`` means that only the evaluation is missing.
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
    workspace: str = ""

    @property
    def session(self) -> str:
        """The session that it belongs to."""
        return parse_session(Path(self.segment))

    @property
    def resumable(self) -> bool:
        """Whether it can be resumed: it was interrupted, failed, waits for the user, or was not judged."""
        return self.unjudged or self.cut_short or self.ended == NextAction.ESCALATE

    @property
    def cut_short(self) -> bool:
        """Whether it has no result."""
        return self.ended in ("", RunState.FAILED, RunState.INTERRUPTED)

    def status(self, *, under_way: bool) -> str:
        """How it ended, or that it is running; a killed task counts as interrupted."""
        return RunState.RUNNING if under_way else self.ended or RunState.INTERRUPTED


def list_past_tasks(folder: Path, newest: int = 0) -> list[PastTask]:
    """Return tasks, newest first; all, or the ``newest`` ones. Sub-tasks belong to their task."""
    return list(islice(iterate_past_tasks(folder, newest), newest or None))


def iterate_past_tasks(folder: Path, newest: int = 0) -> Iterator[PastTask]:
    """Yield tasks, newest first, without reading more sessions than that takes. Sub-tasks belong to their task.

    If only the ``newest`` are needed, no more of a session is read either. A session may be continued long after it
    began, so sessions are read in the order in which they were written last.
    """
    read: dict[str, PastTask] = {}
    order: list[tuple[str, str]] = []  # of what was read, the newest last
    for written, session in sorted(list_session_files(folder), reverse=True):
        while order and order[-1][0] > written:
            yield read.pop(order.pop()[1])
        for past in read_tasks(session, newest).values():
            if past.run not in read:
                insort(order, (past.at, past.run))
            read[past.run] = past
    yield from (read[run] for _, run in reversed(order))


def list_session_files(folder: Path) -> Iterable[tuple[str, list[Path]]]:
    """Return each session's segments with the time of its last write, in the format of records."""
    times: dict[str, float] = {}
    segments: dict[str, list[Path]] = {}
    for path in list_all_segments(folder):
        session = parse_session(path)
        segments.setdefault(session, []).append(path)
        with suppress(FileNotFoundError):  # it was archived meanwhile, and is read from there
            times[session] = max(times.get(session, 0.0), path.stat().st_mtime + CLOCK_TICK_SECONDS)
    return [(format_time(times.get(session, 0.0)), paths) for session, paths in segments.items()]


def format_time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S.%f}"


def read_tasks(segments: Sequence[Path], newest: int = 0) -> dict[str, PastTask]:
    """Read the tasks of a session, by run; all, or at least the ``newest`` ones."""
    views = build_views(read_task_events(segments, newest)).values()
    return {view.run: summarize_task(view) for view in views if not view.task.parent}


def read_task_events(segments: Sequence[Path], newest: int = 0) -> Iterator[Record]:
    """Yield the starts and ends of a session's runs; in a large session, only since the ``newest`` tasks started."""
    if newest and is_large(segments):
        from .last_task import iterate_starts  # it maps files, which few commands do

        starts = list(islice(iterate_starts(segments), newest))
        if len(starts) == newest:
            yield from starts[-1].read(TASK_EVENTS)
            return
    for path in segments:
        yield from select_from(path, TASK_EVENTS)


def is_large(segments: Iterable[Path]) -> bool:
    """Return whether segments are so large that reading only a part of them is faster."""
    size = 0
    for path in segments:
        with suppress(FileNotFoundError):  # it was archived meanwhile
            size += path.stat().st_size
    return size > SMALL_BYTES


def summarize_task(view: RunView) -> PastTask:
    """Return a run as one task."""
    return PastTask(
        view.run,
        view.at,
        view.task.text,
        view.started.model if view.started else "",
        ended=view.decision,
        tokens=view.cost.tokens,
        usd=view.cost.usd,
        segment=view.segment,
        unjudged=view.completed is not None and view.completed.decision.unjudged,
        workspace=view.workspace,
    )


def find_task(folder: Path, task_id: str) -> PastTask:
    """Return the task by its id or a unique prefix; the last one without an id.

    Raises PluginNotFoundError, or KoiError if there is no task at all.
    """
    tasks = list_past_tasks(folder, newest=0 if task_id else 1)
    if not tasks and not task_id:
        raise KoiError(NO_TASK)
    return find_by_prefix(task_id, {past.run: past for past in tasks}, "task")


def find_run(folder: Path, id: str) -> tuple[str, str]:
    """Return the session and the id of a run, also of a sub-task; of a task, the start of its id is enough."""
    from .last_task import is_logged_in  # it maps files, which few commands do

    for path in reversed(list_all_segments(folder)):
        if is_logged_in(path, id):
            return parse_session(path), id
    past = find_task(folder, id)
    return past.session, past.run


def read_task_records(folder: Path, past: PastTask) -> list[Record]:
    """Return all records of a task's session, including sub-tasks and resumed runs."""
    paths = list_all_segments(folder, past.session)
    return [record for path in paths for record in read_segment(path) if record.run]
