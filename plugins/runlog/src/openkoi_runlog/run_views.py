"""The views of the runs in a log, one or all, each including the cost of its sub-tasks."""

from collections.abc import Iterable, Mapping

from openkoi_hookspecs import Record, events

from .run_view import RunView

EXECUTOR = "executor"
BEGINNINGS = (events.RunForked, events.TaskStarted)


def sort_records(records: Iterable[Record]) -> list[Record]:
    """Return a run's records in the order in which they were written, regardless of their order here."""
    return sorted(records, key=lambda record: (record.at, record.id))


def build_view(records: Iterable[Record], run: str = "") -> RunView:
    """Return the view of one run: the named one, else the first to start. It pays for the calls of its sub-tasks."""
    views = build_views(records)
    return views.get(run or next(iter(views), ""), RunView(run))


def build_views(records: Iterable[Record]) -> Mapping[str, RunView]:
    """Return the view of each run that started in these records, in the order of their starts."""
    views: dict[str, RunView] = {}
    for record in records:
        if isinstance(record.event, BEGINNINGS):
            views.setdefault(record.run, RunView())
        if view := views.get(record.run):
            view.take(record)
            if isinstance(record.event, events.Paid):
                charge_parents(views, view, record.at, record.event)
    return views


def executor_roles(view: RunView) -> tuple[str, str]:
    """Return the roles under which the executor's model is called: a role, or the model of an agent."""
    agent = view.task.agent
    return EXECUTOR, (agent.model if agent else "") or EXECUTOR


def charge_parents(views: Mapping[str, RunView], view: RunView, at: str, paid: events.Paid) -> None:
    """Charge a call to each run that this one is a part of."""
    seen = {view.run}
    while (parent := views.get(view.task.parent)) and parent.run not in seen:
        parent.add_payment(at, paid)
        seen.add(parent.run)
        view = parent
