"""List the sessions and the runs of a log, without reading more of it than how runs began and ended."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from openkoi_hookspecs import NextAction, RunState, RunSummary, events

from .packed import lines_from
from .reading import all_segments
from .run_view import RunView
from .run_views import views_of
from .segment_names import is_by_time, session_of
from .selecting import select_from
from .transcript import Damaged, read_line

TOLD = (
    *(events.TaskStarted, events.RunResumed, events.RunCompleted, events.RunFailed),
    *(events.IterationFinished, events.DecisionMade, events.QuestionAsked, events.QuestionAnswered),
)


def sessions_of(folder: Path) -> list[str]:
    """Return the sessions of a log, those that began first in front."""
    first: dict[str, Path] = {}
    for path in all_segments(folder):
        first.setdefault(session_of(path), path)
    return sorted(first, key=lambda session: (began_at(session, first[session]), session))


def began_at(session: str, first: Path) -> str:
    """Return when a session began, to the second: its name says so, unless a program named it."""
    if is_by_time(session):
        return session.partition("-")[0]
    try:
        return read_line(next(lines_from(first), b"")).at.partition(".")[0].replace("-", "").replace(":", "")
    except (Damaged, ValueError):
        return ""


def summarize_runs(sessions: Iterable[str], folder: Path, is_under_way: Callable[[str], bool]) -> list[RunSummary]:
    """Return the runs of sessions, those that began first in front."""
    found = (one for session in sessions for one in summarize_session(session, folder, is_under_way))
    return sorted(found, key=lambda one: one.started_at)


def summarize_session(session: str, folder: Path, is_under_way: Callable[[str], bool]) -> Iterator[RunSummary]:
    records = [record for path in all_segments(folder, session) for record in select_from(path, TOLD)]
    for id, view in views_of(records).items():
        if not view.task.parent:
            state = state_of(view, under_way=is_under_way(id))
            yield RunSummary(id, session, view.task.text, view.at, state, score=view.final_score)


def state_of(view: RunView, *, under_way: bool) -> RunState:
    """Return where a run stands."""
    if under_way:
        unanswered = any(not question.answered for question in view.questions.values())
        return RunState.WAITING if unanswered else RunState.RUNNING
    if view.completed:
        needs_user = view.completed.decision.action is NextAction.ESCALATE
        return RunState.WAITING if needs_user else RunState.FINISHED
    return view.failed.state if view.failed else RunState.INTERRUPTED
