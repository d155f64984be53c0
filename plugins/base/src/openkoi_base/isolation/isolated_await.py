"""Await a plugin's result step by step, so that it can neither cancel its caller nor outlive its deadline."""

import asyncio
from collections.abc import Awaitable, Generator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
CLEANUP_SECONDS = 1.0  # for what a plugin awaits after its deadline, such as closing a connection
CANCELLED_CALLER = "it cancelled the task that called it"


class IsolatedAwaitable(Generic[T]):
    """Awaits a plugin with a time limit, then raises TimeoutError; a plugin that keeps waiting is closed.

    During a step only the plugin runs: if the caller's task is cancelled then, it is by the plugin. Cancellations that
    come between steps are passed to the plugin, whose own timeouts cancel the same task.
    """

    def __init__(self, awaitable: Awaitable[T], seconds: float) -> None:
        self.steps: Generator[Any, Any, T] = awaitable.__await__()
        self.seconds = seconds
        self.is_late = self.is_over = self.has_cancelled = False
        self.timer: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, T]:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task  # hooks are called in the task of a run
        error: BaseException | None = None
        try:
            while True:
                before = task.cancelling()
                step = self.step(error)
                if (stray := task.cancelling() - before) > 0:
                    self.close()
                    yield from absorb_cancellation(task, stray)
                    raise RuntimeError(CANCELLED_CALLER)
                if isinstance(step, Ended):
                    value: T = self.result(step, task)
                    return value
                if self.timer is None:
                    self.timer = loop.call_later(self.seconds, self.end, task)
                error = None
                try:
                    yield step
                except BaseException as raised:  # a cancellation: the caller's, the plugin's own, or at the deadline
                    error = raised
                    self.note_deadline(task)
        finally:
            self.undo_cancellation(task)
            if self.timer:
                self.timer.cancel()

    def undo_cancellation(self, task: "asyncio.Task[Any]") -> None:
        """Undo the cancellation at the deadline: it is meant for the plugin, not for the caller."""
        if self.has_cancelled:
            self.has_cancelled = False
            task.uncancel()

    def step(self, error: BaseException | None) -> Any:
        """Run the plugin until it waits or ends; return the awaited object, or how it ended."""
        try:
            return self.steps.throw(error) if error else self.steps.send(None)
        except StopIteration as done:
            return Ended(done.value, None)
        except BaseException as raised:  # whatever a plugin raises is raised to its caller
            return Ended(None, raised)

    def end(self, task: "asyncio.Task[Any]") -> None:
        """Cancel the plugin at its deadline, and again after the time for its clean-up."""
        self.is_over, self.is_late = self.is_late, True
        self.timer = task.get_loop().call_later(CLEANUP_SECONDS, self.end, task)
        self.has_cancelled = task.cancel()

    def note_deadline(self, task: "asyncio.Task[Any]") -> None:
        """Close a plugin that still waits after its clean-up; raise TimeoutError or the caller's cancellation."""
        self.undo_cancellation(task)
        if self.is_over:
            self.close()
            if task.cancelling():
                raise asyncio.CancelledError
            raise TimeoutError

    def result(self, ended: "Ended", task: "asyncio.Task[Any]") -> Any:
        """Return the plugin's value, or raise its error; raise TimeoutError if it is late."""
        is_cancelled = isinstance(ended.error, asyncio.CancelledError)
        if self.is_late and not task.cancelling() and (is_cancelled or ended.error is None):
            raise TimeoutError from None
        if ended.error:
            raise ended.error
        return ended.value

    def close(self) -> None:
        """Close the plugin's coroutine, whatever it raises."""
        try:
            self.steps.close()
        except BaseException:  # it is left as it is
            return


class Ended:
    """How a plugin ended: with a value or an error."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: BaseException | None) -> None:
        self.value, self.error = value, error


def absorb_cancellation(task: "asyncio.Task[Any]", stray: int) -> Generator[Any, Any, None]:
    """Undo this many cancellations of a task by itself; raise the next one if other code also cancelled it."""
    for _ in range(stray):
        task.uncancel()
    others = task.cancelling()
    try:
        yield
    except asyncio.CancelledError:
        if task.cancelling() > others:
            raise
