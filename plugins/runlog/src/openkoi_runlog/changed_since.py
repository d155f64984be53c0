"""Detect files that changed since a run ended, before it is resumed or forked."""

from collections.abc import Sequence
from pathlib import Path

from openkoi_base.files.diffs import changed_files, format_names
from openkoi_base.files.short_ids import SHORT_ID_LENGTH
from openkoi_hookspecs import Checkpoints, FilesChangedError, KoiError, Record

from .run_replay import build_replay
from .run_views import build_view

FORKED = (
    "Files of that task changed after it ended: {names}. A fork would restore these files and discard the changes. "
    "Save the changes elsewhere and restore the files, or work in a copy of the folder."
)
CHANGED = (
    "Task {id} cannot be judged, because files changed after it stopped: {names}. A judge would see old versions. "
    "Restore these files and run `openkoi resume {id}`, or run `openkoi evaluate` to judge the files as they are now."
)
UNDONE = (
    "Task {id} cannot be judged: its changes were undone ({names}). "
    "Run `openkoi redo {id}`, then `openkoi resume {id}`."
)


async def refuse_fork(checkpoints: Checkpoints, workspace: Path, start: str, last: str) -> None:
    """Raise KoiError if files that a fork would restore were changed after the run, which ended at ``last``."""
    restored = {*changed_files(await checkpoints.diff(workspace, start, last))} if last else set()
    if restored and (names := restored.intersection(await changed_since(checkpoints, workspace, last))):
        raise KoiError(FORKED.format(names=format_names(sorted(names))))


async def refuse_verdict(checkpoints: Checkpoints, workspace: Path, records: Sequence[Record], run: str) -> None:
    """Raise FilesChangedError if the files no longer contain the work that is left to judge.

    They contain that work or, if no iteration was accepted, that of the best iteration, which was restored.
    """
    work = build_replay(records, run).awaiting_verdict
    if work is None or not work.checkpoint:
        return
    view = build_view(records, run)
    names: Sequence[str] = ()
    for checkpoint in dict.fromkeys((work.checkpoint, view.checkpoints.last)):
        names = await changed_since(checkpoints, workspace, checkpoint)
        if not names:
            return
    raise FilesChangedError(
        (UNDONE if view.undone else CHANGED).format(id=run[:SHORT_ID_LENGTH], names=format_names(names))
    )


async def changed_since(checkpoints: Checkpoints, workspace: Path, checkpoint: str) -> Sequence[str]:
    """Return the paths of the files that differ from a checkpoint."""
    return changed_files(await checkpoints.diff(workspace, checkpoint))
