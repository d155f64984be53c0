"""What is kept of the log: enough to tell each run again, without what was said on the way. Knows no database."""

from dataclasses import replace

from openkoi_hookspecs import Event, Plan, Reply, Work
from openkoi_hookspecs.events import (
    Answered,
    Decided,
    Evaluated,
    Iterated,
    LearningSaved,
    Planned,
    RunCompleted,
    RunFailed,
    TaskStarted,
    Worked,
)
from openkoi_recall.digest import clipped

OUTPUT = 4_000
KINDS: dict[str, type[Event]] = {
    kind.name: kind
    for kind in (
        TaskStarted,
        Planned,
        Answered,
        Worked,
        Evaluated,
        Iterated,
        Decided,
        RunCompleted,
        RunFailed,
        LearningSaved,
    )
}


def kept(event: Event) -> Event | None:
    """Return the event without its bulk, or None when no table speaks of it."""
    match event:
        case TaskStarted(task=task):
            return replace(event, task=replace(task, context=""))
        case Planned():
            return replace(event, plan=Plan())
        case Answered(reply=reply):
            return replace(event, reply=Reply((), reply.done))
        case Worked(work=work):
            return replace(event, work=Work(clipped(work.text, OUTPUT), files=work.files))
        case Evaluated(evaluation=evaluation):
            return replace(event, evaluation=replace(evaluation, log=""))
        case _:
            return event if type(event) in KINDS.values() else None


def about(event: Event) -> str:
    """Return the id of the learning that an event is about."""
    return event.learning.id if isinstance(event, LearningSaved) else ""
