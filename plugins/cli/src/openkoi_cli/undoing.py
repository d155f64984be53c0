"""A task's changes as a whole: shown, taken back, taken up again. Knows records and checkpoints; knows no tool."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_files import is_under_way
from openkoi_hookspecs import Checkpoints, Ended, KoiError, Record, Work, events
from openkoi_log import Past, find_task, past_tasks, records_of

if TYPE_CHECKING:
    from openkoi.assembly import Assembly

UNKEPT = (
    "Task {id} may have changed files here, and how they were before could not be kept: nothing of it can be shown or "
    "taken back. openkoi replay {id} tells what it did."
)
WORKS = (events.Continued, events.ToolCalled, events.Worked)


@dataclass(frozen=True, slots=True)
class Changes:
    """What one task did to one folder: checkpoints before and after it, and which of them holds now.

    ``settled``: nothing was done in it since it was taken back or up again, or since that was begun.
    """

    past: Past
    workspace: Path
    before: str
    after: str
    undone: bool = False
    settled: bool = False


def changes_of(past: Past, records: Iterable[Record]) -> Changes | None:
    """The changes of a task; None when it changed nothing, or nothing of it was kept."""
    workspace = before = after = restored = forked = ""
    kept: list[Work] = []
    settled = False
    for event in (record.event for record in records if record.run == past.run):
        settled = isinstance(event, events.Restored) or (settled and not isinstance(event, WORKS))
        match event:
            case events.TaskStarted():
                workspace = event.workspace
            case events.Forked():
                before = forked = event.checkpoint
            case events.Kept():
                before = forked or event.checkpoint
            case events.Worked(work=work):
                kept.append(work)
                after = work.checkpoint or after
            case events.Continued() if kept and kept[-1].ended is Ended.PERSON:
                kept.pop()
            case events.RunCompleted(best=best) if best < len(kept):
                after = kept[best].checkpoint or after
            case events.Restored():
                restored, after = event.checkpoint, event.kept or after
    if not before:
        return None
    return Changes(past, Path(workspace), before, after, undone=restored == before, settled=settled)


def changes_asked_for(sessions: Path, task_id: str, *, undone: bool) -> Changes:
    """The task that is meant: the one of this id, else the last one that changed files here; raises KoiError."""
    here = Path.cwd()
    if task_id:
        past = find_task(sessions, task_id)
        found = changes_of(past, records_of(sessions, past))
        if found is None:
            refuse_unkept([past], sessions)
            raise KoiError(f"Task {past.run[:8]} changed no file, so there is nothing to show or take back.")
        return found
    told = [changes_of(past, records_of(sessions, past)) for past in past_tasks(sessions)]
    changed = [one for one in told if one and one.workspace == here]
    mine = [one for one in changed if one.undone is undone]
    if not mine:
        refuse_unkept([] if undone else past_tasks(sessions), sessions, here)
        raise KoiError(none_meant(changed, here, undone=undone))
    return mine[-1] if undone else mine[0]


def none_meant(changed: Sequence[Changes], here: Path, *, undone: bool) -> str:
    """What is said where no task is left to take back or up again; one that was in part can be named."""
    what = "changed files that were taken back" if undone else "changed files"
    again = "redo" if undone else "undo"
    last = [f" Was the last one only in part? openkoi {again} {one.past.run[:8]}." for one in changed[:1]]
    return f"No task {what} in {here}.{''.join(last)} openkoi status lists the last tasks."


def refuse_unkept(tasks: Iterable[Past], sessions: Path, here: Path | None = None) -> None:
    """Raise where a task, of this folder, was about to change files, and how they were could not be kept."""
    for past in tasks:
        told = [record.event for record in records_of(sessions, past) if record.run == past.run]
        placed = here is None or any(
            isinstance(one, events.TaskStarted) and Path(one.workspace) == here for one in told
        )
        if placed and any(isinstance(one, events.Kept) and not one.checkpoint for one in told):
            raise KoiError(UNKEPT.format(id=past.run[:8]))


def beside(changes: Changes, sessions: Path) -> Iterator[Past]:
    """Tasks that worked in the same files at the same time: whose change is whose is not always known."""
    began, ended = lasted(changes.past, sessions)
    for past in past_tasks(sessions):
        other = changes_of(past, records_of(sessions, past)) if past.run != changes.past.run else None
        if other and nested(other.workspace, changes.workspace):
            since, till = lasted(past, sessions)
            if since <= ended and began <= till:
                yield past


def nested(one: Path, other: Path) -> bool:
    """Whether one folder is the other, or in it."""
    return one.is_relative_to(other) or other.is_relative_to(one)


def lasted(past: Past, sessions: Path) -> tuple[str, str]:
    """When a task began and when it last worked."""
    records = (record for record in records_of(sessions, past) if record.run == past.run)
    times = [record.at for record in records if not isinstance(record.event, events.Restored)]
    return min(times), max(times)


def refuse_out_of_turn(changes: Changes, sessions: Path) -> None:
    """Raise where a later task changed the same folder: its changes would be lost with this one's.

    Of tasks at the same time none is the later one.
    """
    at_once = {past.run for past in beside(changes, sessions)}
    for past in past_tasks(sessions):
        if past.run == changes.past.run:
            return
        if past.run in at_once:
            continue
        later = changes_of(past, records_of(sessions, past))
        if later and later.workspace == changes.workspace and not later.undone:
            raise KoiError(f"A later task changed this folder, too. Take it back first: openkoi undo {past.run[:8]}")


async def keeper_of(koi: "Assembly") -> Checkpoints:
    """The checkpoints that are plugged in; raises KoiError where there are none."""
    keeper = await koi.sockets.checkpoints()
    if keeper is None:
        raise KoiError("No checkpoints are chosen, so nothing was kept. Set [use] checkpoints.")
    return keeper


def refuse_under_way(changes: Changes, koi: "Assembly") -> None:
    """Raise while the task is being carried out: it would go on changing what is brought back."""
    if is_under_way(koi.running, changes.past.run):
        raise KoiError(
            f"Task {changes.past.run[:8]} is under way in another process. Wait for its end, or end it first."
        )


async def restored(koi: "Assembly", changes: Changes, checkpoint: str) -> Sequence[str]:
    """Bring the folder to a checkpoint, and write that down; return what could not be brought back, in words.

    A run that died in its work kept nothing after it: what it left is kept before it is first taken back.
    """
    refuse_under_way(changes, koi)
    keeper = await keeper_of(koi)
    koi.log.session = changes.past.segment.partition(".")[0]
    if changes.past.ended in ("", "failed") and not changes.settled:
        koi.tell(changes.past.run, [events.Restored("", await keeper.take(changes.workspace))])
    left: list[str] = []
    try:
        await keeper.restore(changes.workspace, checkpoint)
    except KoiError as error:
        if not getattr(error, "files", None):
            raise
        left.append(str(error))
        if waits_for_a_person(error):
            return left
    koi.tell(changes.past.run, [events.Restored(checkpoint)])
    return left


def waits_for_a_person(error: KoiError) -> bool:
    """Whether files were left that can be brought back once a person has moved their own changes away."""
    reasons: Mapping[str, str] = getattr(error, "files", {})
    return any("changed since" in reason for reason in reasons.values())
