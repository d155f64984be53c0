"""The workspace as it was: kept before the first change, compared with what it is now, brought back where need be.

Knows one folder and the checkpoints that are plugged in; knows no phase, model or evaluation. What cannot be kept or
brought back is said, and the run goes on.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from openkoi_hookspecs import Checkpoints, ExecutionResult
from openkoi_isolation import confined, with_timeout
from openkoi_prompt.diffs import format_names

T = TypeVar("T")
GRACE = 30.0


@dataclass(slots=True)
class WorkspaceState:
    """Versions of one run's workspace. ``origin`` is how it was before the run changed anything.

    ``fault`` is why the last checkpoint that failed could not be kept.
    """

    root: Path
    run: str
    keeper: Callable[[], Awaitable[Checkpoints | None]]
    warn: Callable[[str], None]
    seconds_left: Callable[[], float]
    origin: str = ""
    fault: str = ""

    async def checkpoint(self) -> str:
        """Keep the files as they are now; empty when that cannot be done."""
        keeper = await self.keeper()
        if keeper is None:
            return ""
        try:
            with confined():
                return str(await self.with_grace(keeper.create(self.root, run=self.run)))
        except Exception as error:  # checkpoints are a plugin: the run goes on, and says that it cannot go back
            self.fault = str(error)
            if self.origin:
                self.warn(f"The files could not be kept, so the best cannot be restored: {error}")
            return ""

    async def changes(self, checkpoint: str) -> str | None:
        """What the run has changed until a checkpoint, as a unified diff; None when that is not known.

        Without a checkpoint it is all that was changed till now, also by others.
        """
        keeper = await self.keeper()
        if keeper is None or not self.origin:
            return None
        try:
            with confined():
                return str(await self.with_grace(keeper.diff(self.root, self.origin, checkpoint)))
        except Exception as error:  # as above
            self.warn(f"Could not compute what changed: {error}")
            return None

    async def restore_to(self, work: ExecutionResult) -> None:
        """Bring the files back as this work left them."""
        if (work.files or work.unseen) and not work.checkpoint:
            self.warn("The best attempt's files were not kept: the files stay as the last attempt left them.")
        else:
            await self.restore(work.checkpoint or self.origin)

    async def restore(self, checkpoint: str) -> None:
        keeper = await self.keeper()
        if keeper is None or not checkpoint:
            return
        try:
            with confined():
                done = await self.with_grace(keeper.restore(self.root, checkpoint, run=self.run))
            if left := {**done.conflicts, **done.left}:
                self.warn(f"Not every file could be restored: {format_conflicts(left)}.")
        except Exception as error:  # as above
            self.warn(f"The files could not be restored: {error}")

    async def with_grace(self, awaited: Awaitable[T]) -> T:
        """Wait for what has to be done even when the time is over, but not for ever."""
        return await with_timeout(awaited, max(GRACE, self.seconds_left()))


def format_conflicts(left: Mapping[str, str]) -> str:
    """Return the names of files that were not restored, with the reason of each."""
    return format_names([f"{path} ({reason})" for path, reason in left.items()], separator="; ")
