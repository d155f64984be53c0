"""List the sessions and runs of a log, reading only the starts and ends of runs."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from openkoi_hookspecs import NextAction, RunState, RunSummary, events

from .read_segments import list_all_segments
from .record_format import CorruptLineError, read_line
from .run_view import RunView
from .run_views import build_views
from .segment_files import iterate_lines
from .segment_names import is_by_time, parse_session
from .select_records import select_from

SUMMARY_EVENTS = (
    *(events.TaskStarted, events.RunResumed, events.RunCompleted, events.RunFailed),
    *(events.IterationFinished, events.DecisionMade, events.QuestionAsked, events.QuestionAnswered),
)


def list_sessions(folder: Path) -> list[str]:
    """Return the sessions of a log, oldest first."""
    first: dict[str, Path] = {}
    for path in list_all_segments(folder):
        first.setdefault(parse_session(path), path)
    return sorted(first, key=lambda session: (session_start(session, first[session]), session))


def session_start(session: str, first: Path) -> str:
    """Return when a session started, to the second: from its name, unless a program chose that."""
    if is_by_time(session):
        return session.partition("-")[0]
    try:
        return read_line(next(iterate_lines(first), b"")).at.partition(".")[0].replace("-", "").replace(":", "")
    except (CorruptLineError, ValueError):
        return ""


def summarize_runs(sessions: Iterable[str], folder: Path, is_under_way: Callable[[str], bool]) -> list[RunSummary]:
    """Return the runs of sessions, oldest first."""
    found = (one for session in sessions for one in summarize_session(session, folder, is_under_way))
    return sorted(found, key=lambda one: one.started_at)


def summarize_session(session: str, folder: Path, is_under_way: Callable[[str], bool]) -> Iterator[RunSummary]:
    records = [record for path in list_all_segments(folder, session) for record in select_from(path, SUMMARY_EVENTS)]
    for run, view in build_views(records).items():
        if not view.task.parent:
            state = get_state(view, under_way=is_under_way(run))
            yield RunSummary(run, session, view.task.text, view.at, state, score=view.final_score)


def get_state(view: RunView, *, under_way: bool) -> RunState:
    """Return the state of a run."""
    if under_way:
        unanswered = any(not question.answered for question in view.questions.values())
        return RunState.WAITING if unanswered else RunState.RUNNING
    if view.completed:
        needs_user = view.completed.decision.action is NextAction.ESCALATE
        return RunState.WAITING if needs_user else RunState.FINISHED
    return view.failed.state if view.failed else RunState.INTERRUPTED
