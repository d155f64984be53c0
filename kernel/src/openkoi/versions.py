"""The workspace as it was: kept before the first change, compared with what it is now, brought back where need be.

Knows one folder and the checkpoints that are plugged in; knows no phase, model or evaluation. What cannot be kept or
brought back is said, and the run goes on.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from openkoi_hookspecs import Checkpoints, Work

from .deadline import contained

T = TypeVar("T")
TIDYING = 30.0


@dataclass(slots=True)
class Versions:
    """Versions of one run's workspace. ``origin`` is how it was before the run changed anything."""

    root: Path
    keeper: Callable[[], Awaitable[Checkpoints | None]]
    warn: Callable[[str], None]
    seconds_left: Callable[[], float]
    origin: str = ""

    async def take(self) -> str:
        """Keep the files as they are now; empty when that cannot be done."""
        keeper = await self.keeper()
        if keeper is None:
            return ""
        try:
            return str(await self.tidied(keeper.take(self.root)))
        except Exception as error:  # checkpoints are a plugin: the run goes on, and says that it cannot go back
            self.warn(f"The files could not be kept, so the best cannot be restored: {error}")
            return ""

    async def changes(self) -> str | None:
        """What the run has changed so far, as a unified diff; None when that is not known."""
        keeper = await self.keeper()
        if keeper is None or not self.origin:
            return None
        try:
            return str(await self.tidied(keeper.diff(self.root, self.origin)))
        except Exception as error:  # as above
            self.warn(f"Could not compute what changed: {error}")
            return None

    async def go_back_to(self, work: Work) -> None:
        """Bring the files back as this work left them."""
        if work.files and not work.checkpoint:
            self.warn("The best attempt's files were not kept: the files stay as the last attempt left them.")
        else:
            await self.restore(work.checkpoint or self.origin)

    async def restore(self, checkpoint: str) -> None:
        keeper = await self.keeper()
        if keeper is None or not checkpoint:
            return
        try:
            await self.tidied(keeper.restore(self.root, checkpoint))
        except Exception as error:  # as above
            self.warn(f"Not every file could be brought back: {error}")

    async def tidied(self, awaited: Awaitable[T]) -> T:
        """Wait for what has to be done even when the time is over, but not for ever."""
        return await contained(awaited, max(TIDYING, self.seconds_left()))
