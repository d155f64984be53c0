"""Log that a run ended without a result."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from openkoi_base.files.diffs import changed_files, format_names
from openkoi_hookspecs import Event, KoiError, events

if TYPE_CHECKING:
    from .run import TaskRun

MAX_NAMES = 3


async def log_failure(run: "TaskRun", error: BaseException) -> None:
    """Log how the run ended, and which files it left changed."""
    files: tuple[str, ...] = ()
    try:
        files = await files_changed(run, error)
    finally:
        with suppress(KoiError):
            left = unfinished_warning(files, touched=run.touched)
            ended = (events.HooksCalled(run.hooks.end_run()), events.RunFailed(failure_reason(error), files))
            run.services.publish(run.id, (*run.services.warnings.take(), *left, *ended))


async def files_changed(run: "TaskRun", error: BaseException) -> tuple[str, ...]:
    """Return the files that a failed run has changed. An interrupted run ends at once, without comparing files."""
    if not run.baseline.taken or not isinstance(error, Exception):
        return ()
    return changed_files(await run.workspace_state.changes(await run.workspace_state.checkpoint()) or "")


def unfinished_warning(files: Sequence[str], *, touched: bool) -> list[Event]:
    """Return the warning about the files that a run left changed when it ended in the middle of its work."""
    if files:
        changed = f"Changed: {format_names(files, MAX_NAMES)}. To undo this, run `openkoi undo`."
        return [events.WarningIssued(f"Stopped before the work was finished. {changed}")]
    if not touched:
        return []
    return [
        events.WarningIssued(
            "Stopped before the work was finished; some files may have changed. Review them before continuing."
        )
    ]


def failure_reason(error: BaseException) -> str:
    if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
        return events.INTERRUPTED
    return str(error) or type(error).__name__
