"""Read a task's changes from the log, and show, undo or redo them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from openkoi_base.files import find_workspace, is_run_active
from openkoi_hookspecs import Checkpoints, Koi, KoiError, Paths, Record, Restoration, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import CheckpointView, PastTask, build_view, find_task, list_past_tasks, read_task_records

from .remaining_changes import list_remaining

RAN_AT_ONCE = (
    "Task {id} ran here at the same time. "
    "If both tasks changed a file, OpenKoi may attribute changes to the wrong task; check such files."
)
NO_CHECKPOINT = (
    "Task {id} ran without a checkpoint, so its changes are unknown and cannot be shown, undone or redone. "
    "Run `openkoi replay {id}` to see what it did."
)
NO_CHANGES = "No task changed files in {here}. Run `openkoi status` to list recent tasks."


@dataclass(frozen=True, slots=True)
class Changes:
    """A task's changes to a folder, with the checkpoints of its files."""

    past: PastTask
    workspace: Path
    files: CheckpointView

    @property
    def before(self) -> str:
        """The checkpoint that undo restores."""
        return self.files.before

    @property
    def after(self) -> str:
        """The checkpoint that redo restores."""
        return self.files.after

    @property
    def conflicts(self) -> Sequence[str]:
        """The files that the last undo or redo left."""
        return self.files.restored.conflicts if self.files.restored else ()

    @property
    def is_reverted(self) -> bool:
        """Whether undo found that others, such as git, had reverted it; they may reapply it."""
        return self.files.restored is not None and self.files.restored.reverted

    @property
    def undone(self) -> bool:
        """Whether nothing of it is left to undo."""
        return self.files.undone and not self.conflicts

    @property
    def redoable(self) -> bool:
        """Whether it was undone, at least in part."""
        return self.files.undone or bool(self.conflicts)

    @property
    def cut_short(self) -> bool:
        """Whether it was interrupted while working, so that its last changes are not in a checkpoint yet."""
        return not self.after or (self.past.cut_short and not self.files.restored)


def read_changes(past: PastTask, records: Iterable[Record]) -> Changes | None:
    """Return a task's changes; None if it changed nothing, or no checkpoint exists."""
    view = build_view(records, past.run)
    found = Changes(past, Path(view.workspace), view.checkpoints)
    return found if found.before and (found.cut_short or found.before != found.after) else None


def find_changes(sessions: Path, task_id: str) -> Changes:
    """Return the changes of the task with this id; raise KoiError if there are none."""
    past = find_task(sessions, task_id)
    found = read_changes(past, read_task_records(sessions, past))
    if found is None:
        raise_without_checkpoint([past], sessions)
        stays = list_remaining(read_task_records(sessions, past), past.run)
        why = f"Task {past.run[:8]} changed no file, so there is nothing to show, undo or redo."
        raise KoiError(" ".join([why, *(f"Not undone: {one}." for one in stays)]))
    return found


def list_changes_here(sessions: Path) -> Sequence[Changes]:
    """Return the changes of all tasks in this folder, last one first; raise KoiError if there are none."""
    here = find_workspace(Path.cwd())
    found = [read_changes(past, read_task_records(sessions, past)) for past in list_past_tasks(sessions)]
    changed = [one for one in found if one and one.workspace == here]
    if not changed:
        raise_without_checkpoint(list_past_tasks(sessions), sessions, here)
        raise KoiError(NO_CHANGES.format(here=here))
    return changed


def raise_without_checkpoint(tasks: Iterable[PastTask], sessions: Path, here: Path | None = None) -> None:
    """Raise KoiError if one of the tasks (in this folder) changed files without a checkpoint."""
    for past in tasks:
        own_events = [record.event for record in read_task_records(sessions, past) if record.run == past.run]
        placed = here is None or any(
            isinstance(one, events.TaskStarted) and Path(one.workspace) == here for one in own_events
        )
        if placed and any(isinstance(one, events.BaselineSaved) and not one.checkpoint for one in own_events):
            raise KoiError(NO_CHECKPOINT.format(id=past.run[:8]))


def find_concurrent(changes: Changes, sessions: Path) -> Iterator[PastTask]:
    """Yield the tasks that worked in the same files at the same time."""
    began, ended = read_times(changes.past, sessions)
    for past in list_past_tasks(sessions):
        other = read_changes(past, read_task_records(sessions, past)) if past.run != changes.past.run else None
        if other and is_nested(other.workspace, changes.workspace):
            since, till = read_times(past, sessions)
            if since <= ended and began <= till:
                yield past


def is_nested(one: Path, other: Path) -> bool:
    """Return whether one folder is the other or in it."""
    return one.is_relative_to(other) or other.is_relative_to(one)


def read_times(past: PastTask, sessions: Path) -> tuple[str, str]:
    """Return when a task started and when it last worked."""
    records = (record for record in read_task_records(sessions, past) if record.run == past.run)
    times = [record.at for record in records if not isinstance(record.event, events.WorkspaceRestored)]
    return min(times), max(times)


def raise_if_out_of_order(changes: Changes, sessions: Path) -> None:
    """Raise KoiError if the task was interrupted and a later one changed this folder."""
    at_once = {past.run for past in find_concurrent(changes, sessions)}
    for past in list_past_tasks(sessions) if changes.cut_short else ():
        if past.run == changes.past.run:
            return
        if past.run in at_once:
            continue
        later = read_changes(past, read_task_records(sessions, past))
        if later and later.workspace == changes.workspace and not later.undone:
            raise KoiError(
                f"Task {changes.past.run[:8]} was interrupted, and task {past.run[:8]} changed this folder after it. "
                f"Run `openkoi undo {past.run[:8]}` first."
            )


async def load_checkpoints(koi: Koi) -> Checkpoints:
    """Return the chosen checkpoints; raise KoiError if there are none."""
    checkpoints = cast(Checkpoints | None, await koi.load_chosen("checkpoints"))
    if checkpoints is None:
        raise KoiError(
            "No checkpoints are enabled, so earlier versions were not saved. "
            'Set `checkpoints` under [use] in the config file, such as checkpoints = "store".'
        )
    return checkpoints


def raise_if_running(changes: Changes, running: Path) -> None:
    """Raise KoiError while the task is running, because it would change restored files."""
    if is_run_active(running, changes.past.run):
        raise KoiError(
            f"Task {changes.past.run[:8]} is running in another process. Wait until it ends, or stop it first."
        )


async def save_last_changes(koi: Koi, sessions: Path, changes: Changes) -> Changes:
    """Create a checkpoint of the changes that an interrupted run left."""
    if not changes.cut_short:
        return changes
    raise_if_out_of_order(changes, sessions)
    checkpoints = await load_checkpoints(koi)
    kept = await checkpoints.create(changes.workspace, run=changes.past.run)
    restored = changes.files.restored.checkpoint if changes.files.restored else ""
    kept_now = events.WorkspaceRestored(restored, kept, tuple(changes.conflicts))
    await koi.emit(kept_now, run=changes.past.run)
    return replace(changes, files=replace(changes.files, after=kept, last=kept, restored=kept_now))


async def restore_files(
    koi: Koi, paths: Paths, changes: Changes, *, undo: bool, force: bool, rewind: bool = False
) -> Restoration:
    """Undo or redo a task's changes, and log that; later changes by others are kept."""
    raise_if_running(changes, paths.running)
    checkpoints = await load_checkpoints(koi)
    changes = await save_last_changes(koi, paths.sessions, changes)
    to, since = (changes.before, changes.after) if undo else (changes.after, changes.before)
    done = await checkpoints.restore(changes.workspace, to, since=since, force=force)
    reverted = undo and changes.is_reverted == changes.undone and bool(done.unchanged) and not has_changed(done)
    now = events.WorkspaceRestored(to, conflicts=tuple(done.conflicts), reverted=reverted, rewound=rewind)
    await koi.emit(now, run=changes.past.run)
    return done


def has_changed(done: Restoration) -> bool:
    """Return whether a restore changed a file, or left one it should have changed."""
    return bool(done.restored or done.deleted or done.merged or done.conflicts or done.left)
