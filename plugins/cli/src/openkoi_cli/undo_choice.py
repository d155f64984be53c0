"""Choose the task to undo or redo, and explain why nothing was changed."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from openkoi_hookspecs import Koi, KoiError, Paths, Restoration
from openkoi_runlog import PastTask

from .task_changes import Changes, find_changes, has_changed, list_changes_here, restore_files

ALL_UNDONE = (
    "No task left to undo in {here}: {id} was the last one. Run `openkoi redo` to reapply it, or `openkoi status` to "
    "list recent tasks."
)
UNTOUCHED = "The task ended before it changed a file."
UNDONE = "The task is already undone. To reapply it, run `openkoi redo {id}`."
REVERTED = "The task was reverted without `openkoi undo`."
TASK_BEFORE = " To undo the task before it, run `openkoi undo {id}`."
NOT_UNDONE = "The task has not been undone."
REAPPLIED = "The task was reapplied without `openkoi redo`."
RESOLVED = "The task's earlier conflicts are resolved."


def tasks_to_undo(sessions: Path, task_id: str) -> Sequence[Changes]:
    """Return the task with this id, else the tasks here that are not undone, last one first.

    Includes one that was only found reverted, without an undo or redo since, because it may be reapplied by now.
    Raises KoiError without any.
    """
    if task_id:
        return [find_changes(sessions, task_id)]
    there = list_changes_here(sessions)
    last = max((one.files.restored_at for one in there if not one.is_reverted), default="")
    found = [one for one in there if not one.undone or (one.is_reverted and one.files.restored_at > last)]
    if not found:
        raise KoiError(ALL_UNDONE.format(here=there[0].workspace, id=there[0].past.run[:8]))
    return found


def task_to_redo(sessions: Path, task_id: str) -> Changes:
    """Return the task with this id, else the one undone last here, else the last one, which may be reverted."""
    if task_id:
        return find_changes(sessions, task_id)
    there = list_changes_here(sessions)
    return max((one for one in there if one.redoable), key=lambda one: one.files.restored_at, default=there[0])


def task_to_show(sessions: Path, task_id: str) -> Changes:
    """Return the task with this id, else the last one that changed files here, undone or not."""
    return find_changes(sessions, task_id) if task_id else list_changes_here(sessions)[0]


async def undo_first(
    koi: Koi, paths: Paths, tasks: Sequence[Changes], *, force: bool, rewind: bool
) -> tuple[Changes, Restoration, list[PastTask]]:
    """Undo the first of these tasks that changed a file, else the last; return the skipped ones as well."""
    undo = partial(restore_files, koi, paths, undo=True, force=force, rewind=rewind)
    untouched: list[PastTask] = []
    for changes in tasks[:-1]:
        done = await undo(changes)
        if is_untouched(changes, done):
            untouched.append(changes.past)
        elif has_changed(done) or not changes.is_reverted:
            return changes, done, untouched
    return tasks[-1], await undo(tasks[-1]), untouched


def is_untouched(changes: Changes, done: Restoration) -> bool:
    """Return whether undoing showed that a task ended before it changed a file."""
    return changes.past.cut_short and not (has_changed(done) or done.unchanged)


def why_unchanged(changes: Changes, done: Restoration, *, undo: bool, before: Changes | None = None) -> str:
    """Return why nothing was undone or reapplied; ``before`` is the task that comes next."""
    if has_changed(done):
        return ""
    if is_untouched(changes, done):
        return UNTOUCHED
    if changes.conflicts:
        return RESOLVED
    if not undo:
        return REAPPLIED if changes.undone else NOT_UNDONE
    if changes.undone and not changes.is_reverted:
        return UNDONE.format(id=changes.past.run[:8])
    return REVERTED + (TASK_BEFORE.format(id=before.past.run[:8]) if before else "")


def task_after(tasks: Sequence[Changes], changes: Changes) -> Changes | None:
    """Return the task that comes after this one in a list of them."""
    place = tasks.index(changes) + 1
    return tasks[place] if place < len(tasks) else None
