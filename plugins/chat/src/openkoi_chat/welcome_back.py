"""Open an earlier session with three lines: its last task, what is left to do, and its cost."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from openkoi_base.counts import format_count
from openkoi_hookspecs import NextAction
from openkoi_runlog import VIEW_EVENTS, RunView, build_view
from openkoi_runlog.last_task import read_last_task
from openkoi_runlog.report import format_dollars, truncate_line

from .session_totals import read_totals

ELSEWHERE = "nothing in this copy; the other chat continues the task"
ENDINGS = {
    NextAction.ACCEPT: "nothing; the last task was accepted",
    NextAction.ESCALATE: "the last task waits for your answer; /resume asks again",
}


def read_last_view(sessions: Path, session: str) -> RunView | None:
    """Return the last task of a session, or None if it has none."""
    records = read_last_task(sessions, session, VIEW_EVENTS)
    return build_view(records) if records else None


def welcome_back(sessions: Path, session: str, folder: Path, now: datetime, *, copied: bool = False) -> Sequence[str]:
    """Return the three lines; the session's cost is saved in a folder. ``copied``: another chat has it open."""
    view = read_last_view(sessions, session)
    if view is None:
        return ()
    totals = read_totals(sessions, session, folder)
    return (
        f"Last task: {truncate_line(view.task.text, 80)} ({format_age(view.updated, now)})",
        f"Left to do: {ELSEWHERE if copied else describe_open(view)}",
        f"Cost: {format_dollars(totals.usd)} for {format_count(totals.tasks, 'task')}",
    )


def describe_open(view: RunView) -> str:
    """Return what is left to do in the last task."""
    if view.completed is None:
        return "the last task was interrupted; /resume continues it"
    decision = view.completed.decision
    if decision.action in ENDINGS:
        return ENDINGS[decision.action]
    last = view.ended_iterations[-1:]
    found = [one.title for each in last if each.evaluation for one in each.evaluation.open]
    named = f": {truncate_line(found[0], 60)}" if found else ""
    return f"{truncate_line(decision.reason, 80)}{named}"


def format_age(at: str, now: datetime) -> str:
    """Format how long ago something was: ``5 minutes ago``."""
    seconds = max((now - datetime.fromisoformat(at).replace(tzinfo=UTC)).total_seconds(), 0.0)
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return f"{format_count(int(seconds // size), unit)} ago"
    return "just now"
