"""A task that was begun in the background: whoever began it waits for it, speaks to it, or stops it."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True)
class BackgroundRuns:
    """The runs that were begun in the background and are under way."""

    tasks: set[asyncio.Task[Result]] = field(default_factory=set)

    def begin(self, work: Coroutine[Any, Any, Result], id: str, inbox: list[str]) -> RunHandle:
        """Let a run go on by itself. How it fails is told to whoever asks its handle, not to the event loop."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return RunHandle(id, task, inbox)

    async def stop(self) -> None:
        """Stop them all."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
