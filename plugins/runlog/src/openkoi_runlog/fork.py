"""Determine the start of a forked run from another run's records."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from openkoi_base.counts import format_count
from openkoi_hookspecs import Event, KoiError, Record, Task, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .run_views import build_view


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """The records of a run and its sub-tasks before one of its iterations.

    ``checkpoint`` is of its files then, ``last`` of its files when it ended; empty if none was saved.
    """

    task: Task
    records: Sequence[Record]
    checkpoint: str
    last: str = ""


def find_fork_point(records: Sequence[Record], run: str, at: int) -> ForkPoint:
    """Return everything before iteration ``at``, from 0; raise KoiError if the run did not reach it."""
    members = find_run_tree(records, run)
    own = [record for record in records if record.run in members]
    start = next((place for place, one in enumerate(own) if isinstance(one.event, events.TaskStarted)), -1)
    starts = (place for place, one in enumerate(own) if one.run == run and precedes_iteration(one.event, at))
    end = next((place for place in starts if not ends_run(own[place:], run)), -1)
    started = own[start].event if start >= 0 else None
    if end < 0 or not isinstance(started, events.TaskStarted):
        done = sum(one.run == run and isinstance(one.event, events.DecisionMade) for one in own)
        raise KoiError(
            f"The task cannot be forked at iteration {at + 1}: it has only {format_count(done, 'iteration')}."
        )
    if any(isinstance(one.event, events.BaselineSaved) and not one.event.checkpoint for one in own):
        raise KoiError(
            "The task ran without a checkpoint, so its files cannot be restored. Run the task again instead."
        )
    earlier = own[start : end + 1]
    files, begun = build_view(own, run).checkpoints, build_view(earlier, run).checkpoints
    return ForkPoint(started.task, earlier, begun.current or files.origin, files.current)


def find_run_tree(records: Sequence[Record], run: str) -> set[str]:
    """Return the ids of a run and its sub-tasks."""
    members = {run}
    for record in records:
        if isinstance(record.event, events.TaskStarted) and record.event.task.parent in members:
            members.add(record.run)
    return members


def precedes_iteration(event: Event, at: int) -> bool:
    """Return whether iteration ``at`` follows this event."""
    if at == 0:
        return isinstance(event, events.PlanReady)
    return isinstance(event, events.DecisionMade) and event.iteration == at - 1


def ends_run(records: Sequence[Record], run: str) -> bool:
    """Return whether the first of these records is the decision that ended the run."""
    decision = records[0].event
    if not isinstance(decision, events.DecisionMade) or not decision.decision.final:
        return False
    return not any(one.run == run and isinstance(one.event, events.MessageAdded) for one in records)


def rename_runs(beginning: ForkPoint, fresh: str, task: Task) -> Iterator[tuple[str, Event]]:
    """Yield the same events for another run with this task, and for its sub-tasks.

    Warnings are skipped, because those that still apply are issued again.
    """
    names: dict[str, str] = {}
    parts: dict[str, int] = {}
    for record in beginning.records:
        event = record.event
        if isinstance(event, events.TaskStarted):
            above = names.get(event.task.parent, "")
            if record.run not in names:
                names[record.run] = subtask_id(above, parts[above]) if above else fresh
                parts[above], parts[names[record.run]] = parts.get(above, 0) + 1, 0
            event = replace(event, task=replace(event.task, parent=above) if above else task)
        if not isinstance(event, events.WarningIssued):
            yield names[record.run], event


def subtask_id(run: str, number: int) -> str:
    """Return a sub-task's id, which is the same when the run is replayed."""
    return sha256(f"{run} {number}".encode()).hexdigest()[:20]
