"""Run tasks in the background, with handles to wait for them, add messages and stop them."""

import asyncio
from collections.abc import Coroutine
from dataclasses import field
from typing import Any

from openkoi_base.isolation import checks_arguments, start_task
from openkoi_hookspecs import Handle, KoiError, Result, RunStoppedError
from openkoi_hookspecs.lazy_dataclass import dataclass


@checks_arguments(Handle)
@dataclass(frozen=True, slots=True)
class RunHandle:
    """Implements ``Handle``. ``inbox`` contains the messages that the run has not read yet, ``kept`` its result."""

    id: str
    task: asyncio.Task[Result]
    inbox: list[str]
    kept: list[Result]

    async def result(self) -> Result:
        """Wait for the result; cancelling the caller does not end the run."""
        await asyncio.wait([self.task])
        if self.kept:  # also where it was stopped when it had its result already
            return self.kept[0]
        if self.task.cancelled():
            raise RunStoppedError(self.id)
        return self.task.result()

    def say(self, text: str) -> None:
        """Add a message for the run."""
        if self.task.done():
            raise KoiError(f"Run {self.id[:8]} has ended, so no message can be added. Start another task.")
        self.inbox.append(text)

    def stop(self) -> None:
        """Cancel the run; its log says that it was interrupted."""
        self.task.cancel()


@dataclass(frozen=True, slots=True)
class BackgroundRuns:
    """The background runs that are active."""

    tasks: set[asyncio.Task[Result]] = field(default_factory=set)

    def begin(self, work: Coroutine[Any, Any, Result], id: str, inbox: list[str]) -> RunHandle:
        """Start a run as a task; its error is raised by its handle and not reported by the event loop."""
        kept: list[Result] = []
        task = start_task(keep_result(work, kept), work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return RunHandle(id, task, inbox, kept)

    async def stop(self) -> None:
        """Stop them all."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def keep_result(work: Coroutine[Any, Any, Result], kept: list[Result]) -> Result:
    """Run a task and keep its result, which would be lost if the task were cancelled just as it ends."""
    kept.append(await work)
    return kept[0]
