"""Run background work after a run has its result: learning, and shutting down plugins."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import field
from typing import Any

from openkoi_base.isolation import contain_exit
from openkoi_hookspecs.lazy_dataclass import dataclass

LATE = "Memory is not up to date yet; OpenKoi updates it at the next start."
FAILED = "Learnings may be missing until the next start: {}"


@dataclass(frozen=True, slots=True)
class Background:
    """Background tasks. Everything they need is in the log, so nothing is lost if one is not done."""

    warn: Callable[[str], None]
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Start a background task; a failure is a warning."""
        task = asyncio.create_task(self.run_contained(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def run_contained(self, work: Coroutine[Any, Any, object]) -> None:
        """Run one task and contain its failure."""
        try:
            with contain_exit():
                await work
        except Exception as error:  # plugins' work after the result: it is not worth losing the result for
            self.warn(FAILED.format(error))

    async def drain(self) -> None:
        """Wait for all tasks, and for those that they start."""
        while self.tasks:
            await asyncio.wait(self.tasks)

    async def close(self, seconds: float | None) -> None:
        """Wait for at most this many seconds, or without a limit, then cancel the rest."""
        try:
            async with asyncio.timeout(seconds):
                await self.drain()
        except TimeoutError:
            self.warn(LATE)
        finally:
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)
