"""A task that was begun in the background: whoever began it waits for it, speaks to it, or stops it."""

import asyncio
from dataclasses import dataclass

from openkoi_hookspecs import KoiError, Result, RunStoppedError


@dataclass(frozen=True, slots=True)
class RunHandle:
    """Implements ``Handle``. ``inbox`` is what the run has not taken up yet."""

    id: str
    task: asyncio.Task[Result]
    inbox: list[str]

    async def result(self) -> Result:
        """Wait for the result; whoever waits may be cancelled without ending the run."""
        try:
            return await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if self.task.cancelled():
                raise RunStoppedError(self.id) from None
            raise

    def say(self, text: str) -> None:
        """Leave the run a message."""
        if self.task.done():
            raise KoiError(f"Run {self.id[:8]} is over, so nothing can be said to it. Begin another task.")
        self.inbox.append(text)

    def stop(self) -> None:
        """Cancel the run; its log says that it was interrupted."""
        self.task.cancel()
