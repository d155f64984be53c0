"""Work that goes on after results are out: what runs taught is learned while the program lives."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from openkoi_isolation import confined

LATE = "Memory is not up to date yet; the next start catches up."
FAILED = "What was learned may be missing until the next start: {}"


@dataclass(frozen=True, slots=True)
class Background:
    """Duties, each in a task of its own. All are in the log already, so nothing is lost if one is not done."""

    warn: Callable[[str], None]
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self, duty: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Do something in the background; a failure is a warning."""
        task = asyncio.create_task(self.guarded(duty))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def guarded(self, duty: Coroutine[Any, Any, object]) -> None:
        """Do one duty."""
        try:
            with confined():
                await duty
        except Exception as error:  # plugins' work after the result: it is not worth losing the result for
            self.warn(FAILED.format(error))

    async def drain(self) -> None:
        """Wait for all that was begun, and for what comes of it."""
        while self.tasks:
            await asyncio.wait(self.tasks)

    async def close(self, seconds: float | None) -> None:
        """Wait so long at most, or as long as it takes, and end the rest."""
        try:
            async with asyncio.timeout(seconds):
                await self.drain()
        except TimeoutError:
            self.warn(LATE)
        finally:
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)
