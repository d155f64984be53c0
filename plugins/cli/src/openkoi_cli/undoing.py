"""A task's changes as a whole: shown, undone, redone. Knows records and checkpoints; knows no tool."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from openkoi_base.files import is_run_active
from openkoi_hookspecs import Checkpoints, Koi, KoiError, Record, Restoration, events
from openkoi_runlog import Past, RunView, find_task, past_tasks, records_of
from openkoi_settings import Paths

BESIDE = "Task {id} ran here at the same time. What both were changing at the same moment counts for both: check it."
UNKEPT = (
    "Task {id} ran without a checkpoint, so what it changed is not known and cannot be shown, undone or redone. "
    "Run `openkoi replay {id}` to see what it did."
)
NONE = "No task changed files in {here}. Run `openkoi status` to list recent tasks."
WORKS = (events.RunResumed, events.ToolCallStarted, events.ExecutionFinished)


@dataclass(frozen=True, slots=True)
class Changes:
    """What one task did to one folder: checkpoints before and after it, and which of them was restored last.

    ``settled``: nothing was done in it since it was undone or redone, or since that was begun. ``conflicts``: what was
    left when it was undone or redone the last time, which was at ``restored_at`` (ISO 8601, empty for never).
    ``reverted``: undo found that others, such as git, had reverted it, and they may reapply it.
    """

    past: Past
    workspace: Path
    before: str
    after: str
    restored: str = ""
    settled: bool = False
    conflicts: Sequence[str] = ()
    restored_at: str = ""
    reverted: bool = False

    @property
    def undone(self) -> bool:
        """Whether nothing of it is left to undo."""
        return self.restored == self.before and not self.conflicts

    @property
    def redoable(self) -> bool:
        """Whether it was undone, if only in part."""
        return self.restored == self.before or bool(self.conflicts)

    @property
    def cut_short(self) -> bool:
        """Whether it ended within its work, so that what it did last was not kept yet."""
        return not self.after or (self.past.cut_short and not self.settled)


def changes_of(past: Past, records: Iterable[Record]) -> Changes | None:
    """The changes of a task; None when it changed nothing, or nothing of it was kept."""
    before = after = forked = restored_at = ""
    restored = events.WorkspaceRestored("")
    view, settled = RunView(), False
    for record in (one for one in records if one.run == past.run):
        view.take(record)
        event = record.event
        settled = isinstance(event, events.WorkspaceRestored) or (settled and not isinstance(event, WORKS))
        match event:
            case events.RunForked():
                before = forked = event.checkpoint
            case events.BaselineSaved():
                before, after = forked or event.checkpoint, event.checkpoint
            case events.ExecutionFinished(work=work):
                after = work.checkpoint
            case events.RunCompleted() if view.best and (best := view.best.work):
                after = best.checkpoint or ("" if best.files else before)
            case events.WorkspaceRestored():
                restored, after, restored_at = event, event.kept or after, record.at
    there = Path(view.workspace)
    found = Changes(
        past,
        there,
        before,
        after,
        restored.checkpoint,
        settled,
        restored.conflicts,
        restored_at,
        reverted=restored.reverted,
    )
    return found if before and (found.cut_short or before != after) else None


def task_named(sessions: Path, task_id: str) -> Changes:
    """The changes of the task of this id; raises KoiError where there are none."""
    past = find_task(sessions, task_id)
    found = changes_of(past, records_of(sessions, past))
    if found is None:
        refuse_unkept([past], sessions)
        raise KoiError(f"Task {past.run[:8]} changed no file, so there is nothing to show, undo or redo.")
    return found


def tasks_here(sessions: Path) -> Sequence[Changes]:
    """The changes of all tasks in this folder, the last one first; raises KoiError where there are none."""
    here = Path.cwd()
    found = [changes_of(past, records_of(sessions, past)) for past in past_tasks(sessions)]
    changed = [one for one in found if one and one.workspace == here]
    if not changed:
        refuse_unkept(past_tasks(sessions), sessions, here)
        raise KoiError(NONE.format(here=here))
    return changed


def refuse_unkept(tasks: Iterable[Past], sessions: Path, here: Path | None = None) -> None:
    """Raise where a task, of this folder, was about to change files, and how they were could not be kept."""
    for past in tasks:
        told = [record.event for record in records_of(sessions, past) if record.run == past.run]
        placed = here is None or any(
            isinstance(one, events.TaskStarted) and Path(one.workspace) == here for one in told
        )
        if placed and any(isinstance(one, events.BaselineSaved) and not one.checkpoint for one in told):
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
    times = [record.at for record in records if not isinstance(record.event, events.WorkspaceRestored)]
    return min(times), max(times)


def refuse_out_of_turn(changes: Changes, sessions: Path) -> None:
    """Raise where a task was cut short and a later one changed this folder: whose the last changes are is unknown."""
    at_once = {past.run for past in beside(changes, sessions)}
    for past in past_tasks(sessions) if changes.cut_short else ():
        if past.run == changes.past.run:
            return
        if past.run in at_once:
            continue
        later = changes_of(past, records_of(sessions, past))
        if later and later.workspace == changes.workspace and not later.undone:
            raise KoiError(
                f"Task {changes.past.run[:8]} was cut short, and task {past.run[:8]} changed this folder after it. "
                f"Run `openkoi undo {past.run[:8]}` first."
            )


async def keeper_of(koi: Koi) -> Checkpoints:
    """The checkpoints that are plugged in; raises KoiError where there are none."""
    keeper = cast(Checkpoints | None, await koi.load_chosen("checkpoints"))
    if keeper is None:
        raise KoiError("No checkpoints are chosen, so nothing was kept. Set [use] checkpoints.")
    return keeper


def refuse_under_way(changes: Changes, running: Path) -> None:
    """Raise while the task is being carried out: it would go on changing what is brought back."""
    if is_run_active(running, changes.past.run):
        raise KoiError(
            f"Task {changes.past.run[:8]} is under way in another process. Wait for its end, or end it first."
        )


async def settled(koi: Koi, sessions: Path, changes: Changes) -> Changes:
    """A task's changes, where a run that was cut short left files that were not kept yet: they are kept now."""
    if not changes.cut_short:
        return changes
    refuse_out_of_turn(changes, sessions)
    keeper = await keeper_of(koi)
    kept = await keeper.create(changes.workspace, run=changes.past.run)
    kept_now = events.WorkspaceRestored(changes.restored, kept, tuple(changes.conflicts))
    await koi.emit(kept_now, run=changes.past.run)
    return replace(changes, after=kept, settled=True)


async def restored(koi: Koi, paths: Paths, changes: Changes, *, undo: bool, force: bool) -> Restoration:
    """Undo or redo a task's changes, and write that down; what others changed since is kept."""
    refuse_under_way(changes, paths.running)
    keeper = await keeper_of(koi)
    changes = await settled(koi, paths.sessions, changes)
    to, since = (changes.before, changes.after) if undo else (changes.after, changes.before)
    done = await keeper.restore(changes.workspace, to, since=since, force=force)
    reverted = undo and changes.reverted == changes.undone and bool(done.unchanged) and not has_changed(done)
    now = events.WorkspaceRestored(to, conflicts=tuple(done.conflicts), reverted=reverted)
    await koi.emit(now, run=changes.past.run)
    return done


def has_changed(done: Restoration) -> bool:
    """Return whether a restore changed a file, or should have."""
    return bool(done.restored or done.deleted or done.merged or done.conflicts or done.left)
