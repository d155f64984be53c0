"""Await what a plugin returned, a step at a time, so that it can neither cancel its caller nor outlive its deadline."""

import asyncio
from collections.abc import Awaitable, Generator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
CLEANUP_SECONDS = 1.0  # for what a plugin awaits after it was cancelled, such as closing a connection
CANCELLED_CALLER = "it cancelled the task that called it"


class IsolatedAwaitable(Generic[T]):
    """Awaits a plugin. Once cancelled, the plugin has a second for its clean-up; then it is closed, and not waited for.

    During a step only the plugin runs, so that the caller's task is cancelled by it if it is cancelled then.
    """

    def __init__(self, awaitable: Awaitable[T]) -> None:
        self.awaitable = awaitable
        self.steps: Generator[Any, Any, T] = awaitable.__await__()
        self.cancellation: BaseException | None = None
        self.timer: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, T]:
        task = asyncio.current_task()
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
                    value: T = step.result()
                    return value
                if error:
                    self.begin_cleanup(error, task)
                error = None
                try:
                    yield step
                except BaseException as raised:  # a cancellation, after which the plugin may clean up
                    error = raised
                    self.end_cleanup(task)
        finally:
            if self.timer:
                self.timer.cancel()

    def step(self, error: BaseException | None) -> Any:
        """Run the plugin until it waits or ends; return what it waits for, or how it ended."""
        try:
            return self.steps.throw(error) if error else self.steps.send(None)
        except StopIteration as done:
            return Ended(done.value, None)
        except BaseException as raised:  # whatever a plugin raises is raised to its caller
            return Ended(None, raised)

    def begin_cleanup(self, error: BaseException, task: "asyncio.Task[Any]") -> None:
        """Note a cancellation that the plugin waits on after, and cancel it again when its time is up."""
        self.cancellation = error
        self.timer = task.get_loop().call_later(CLEANUP_SECONDS, task.cancel)

    def end_cleanup(self, task: "asyncio.Task[Any]") -> None:
        """Close a plugin that was cancelled before, and raise that cancellation."""
        if self.cancellation:
            if self.timer and not self.timer.cancelled() and self.timer.when() <= task.get_loop().time():
                task.uncancel()  # the timer's
            self.close()
            raise self.cancellation

    def close(self) -> None:
        """Close the plugin's coroutine, whatever it does about that."""
        try:
            self.steps.close()
        except BaseException:  # it is left as it is
            return


class Ended:
    """How a plugin ended: by a value or an error."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: BaseException | None) -> None:
        self.value, self.error = value, error

    def result(self) -> Any:
        """Return the value, or raise the error."""
        if self.error:
            raise self.error
        return self.value


def absorb_cancellation(task: "asyncio.Task[Any]", stray: int) -> Generator[Any, Any, None]:
    """Take back so many cancellations of a task by itself; raise the next one if it was also cancelled by another."""
    for _ in range(stray):
        task.uncancel()
    others = task.cancelling()
    try:
        yield
    except asyncio.CancelledError:
        if task.cancelling() > others:
            raise
