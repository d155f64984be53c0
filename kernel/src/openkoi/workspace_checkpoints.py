"""Take checkpoints (snapshots) of a run's workspace before its first change, compare them with files, and restore them.

If files cannot be saved or restored, the user is warned and the run continues.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from openkoi_base.files.diffs import warning_of
from openkoi_base.isolation import contain_exit, with_timeout
from openkoi_hookspecs import Checkpoints, ExecutionResult
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import checkpoint_of

T = TypeVar("T")
GRACE = 30.0  # seconds for a checkpoint when the task's time is over: without it the work could not be undone
NOT_KEPT = "The files could not be saved, so the best iteration cannot be restored: {}"
NOT_COMPARED = "Could not determine what changed: {}"
NOT_RESTORED = "The files could not be restored: {}"
BEST_NOT_KEPT = "The best iteration's files were not saved; the files stay as the last iteration left them."


@dataclass(slots=True)
class WorkspaceState:
    """Versions of one run's workspace. ``origin`` is the state before the run changed anything.

    ``fault`` is the last error that the plugin raised.
    """

    root: Path
    run: str
    load_checkpoints: Callable[[], Awaitable[Checkpoints | None]]
    warn: Callable[[str], None]
    seconds_left: Callable[[], float]
    origin: str = ""
    fault: str = ""

    async def checkpoint(self) -> str:
        """Save the files as they are now; return an empty id if that is not possible."""
        checkpoints = await self.load_checkpoints()
        if checkpoints is None:
            return ""
        warning = NOT_KEPT if self.origin else ""
        return str(await self.call_plugin(lambda: checkpoints.create(self.root, run=self.run), warning) or "")

    async def changes(self, checkpoint: str) -> str | None:
        """Return the run's changes up to a checkpoint as a unified diff; None if they are not known.

        Without a checkpoint, return all changes until now, including changes by others.
        """
        checkpoints = await self.load_checkpoints()
        if checkpoints is None or not self.origin:
            return None
        diff = await self.call_plugin(lambda: checkpoints.diff(self.root, self.origin, checkpoint), NOT_COMPARED)
        return None if diff is None else str(diff)

    async def restore_to(self, work: ExecutionResult) -> None:
        """Restore the files as this work left them."""
        if checkpoint := checkpoint_of(work, self.origin):
            await self.restore(checkpoint)
        elif work.files or work.unseen:
            self.warn(BEST_NOT_KEPT)

    async def restore(self, checkpoint: str) -> None:
        """Restore the files of a checkpoint; warn about those that were left as they are."""
        checkpoints = await self.load_checkpoints()
        if checkpoints is None or not checkpoint:
            return
        done = await self.call_plugin(lambda: checkpoints.restore(self.root, checkpoint, run=self.run), NOT_RESTORED)
        if done and (text := warning_of(done)):
            self.warn(text)

    async def call_plugin(self, call: Callable[[], Awaitable[T]], warning: str) -> T | None:
        """Call a checkpoint plugin, also when the task's time is over; return None, with a warning, if it fails."""
        try:
            with contain_exit():
                return await with_timeout(call(), max(GRACE, self.seconds_left()))
        except Exception as error:  # checkpoints are a plugin: the run continues without what it could not do
            self.fault = str(error)
            if warning:
                self.warn(warning.format(error))
            return None
