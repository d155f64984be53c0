"""A task's changes as a whole: shown, taken back, taken up again. Knows records and checkpoints; knows no tool."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import Checkpoints, KoiError, Record, events
from openkoi_log import Past, find_task, past_tasks, records_of

if TYPE_CHECKING:
    from openkoi.assembly import Assembly


@dataclass(frozen=True, slots=True)
class Changes:
    """What one task did to one folder: checkpoints before and after it, and which of them holds now."""

    past: Past
    workspace: Path
    before: str
    after: str
    undone: bool = False


def changes_of(past: Past, records: Iterable[Record]) -> Changes | None:
    """The changes of a task; None when it changed nothing, or nothing of it was kept."""
    workspace = before = after = restored = forked = ""
    kept: list[str] = []
    for event in (record.event for record in records if record.run == past.run):
        match event:
            case events.TaskStarted():
                workspace = event.workspace
            case events.Forked():
                forked = event.checkpoint
            case events.Kept():
                before = forked or event.checkpoint
            case events.Worked(work=work):
                kept.append(work.checkpoint)
                after = work.checkpoint or after
            case events.RunCompleted(best=best) if best < len(kept):
                after = kept[best] or after
            case events.Restored():
                restored = event.checkpoint
    if not before:
        return None
    return Changes(past, Path(workspace), before, after, undone=restored == before)


def changes_asked_for(sessions: Path, task_id: str, *, undone: bool) -> Changes:
    """The task that is meant: the one of this id, else the last one that changed files here; raises KoiError."""
    here = Path.cwd()
    if task_id:
        past = find_task(sessions, task_id)
        found = changes_of(past, records_of(sessions, past))
        if found is None:
            raise KoiError(f"Task {past.run[:8]} changed no file, so there is nothing to show or take back.")
        return found
    told = (changes_of(past, records_of(sessions, past)) for past in past_tasks(sessions))
    mine = [one for one in told if one and one.workspace == here and one.undone is undone]
    if not mine:
        what = "changed files that were taken back" if undone else "changed files"
        raise KoiError(f"No task {what} in {here}. openkoi status lists the last tasks.")
    return mine[-1] if undone else mine[0]


def refuse_out_of_turn(changes: Changes, sessions: Path) -> None:
    """Raise where a later task changed the same folder: its changes would be lost with this one's."""
    for past in past_tasks(sessions):
        if past.run == changes.past.run:
            return
        later = changes_of(past, records_of(sessions, past))
        if later and later.workspace == changes.workspace and not later.undone:
            raise KoiError(f"A later task changed this folder, too. Take it back first: openkoi undo {past.run[:8]}")


async def keeper_of(koi: "Assembly") -> Checkpoints:
    """The checkpoints that are plugged in; raises KoiError where there are none."""
    keeper = await koi.sockets.checkpoints()
    if keeper is None:
        raise KoiError("No checkpoints are chosen, so nothing was kept. Set [use] checkpoints.")
    return keeper


async def restored(koi: "Assembly", changes: Changes, checkpoint: str) -> Sequence[str]:
    """Bring the folder to a checkpoint, and write that down; return what could not be brought back, in words."""
    keeper = await keeper_of(koi)
    left: list[str] = []
    try:
        await keeper.restore(changes.workspace, checkpoint)
    except KoiError as error:
        left.append(str(error))
    koi.log.session = changes.past.segment.partition(".")[0]
    koi.tell(changes.past.run, [events.Restored(checkpoint)])
    return left
