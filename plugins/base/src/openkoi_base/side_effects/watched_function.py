"""Watch the first calls of a plugin's function, or all of them, and report what they change for other code."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager
from inspect import isawaitable
from typing import Any, Protocol

from .left_running import is_own_code
from .options import watch_options
from .watched_call import WatchedCall

Report = Callable[[str], object]


def watch_function(
    function: Callable[..., object], call: Callable[[], WatchedCall], report: Report, end: Callable[[], object]
) -> Callable[..., object]:
    """Return a watched version of the function; call ``end`` after the last watched call."""
    left, is_own = watch_options().calls, is_own_code(function)

    def call_and_watch(*facts: Any) -> object:
        nonlocal left
        left -= 1
        if left == 0:
            end()
        this, answer = call(), None
        this.facts, this.is_own = facts, is_own
        try:
            with this.step():
                answer = function(*facts)
        finally:
            if not isawaitable(answer):
                this.finish(report)
        return WatchedAwaitable(answer, this, report) if isawaitable(answer) else answer

    return call_and_watch


class StepWatch(Protocol):
    """Watch the steps of an awaitable: each runs until it waits, and other code runs in between."""

    def step(self) -> AbstractContextManager[None]:
        """Watch the code that runs meanwhile."""

    def finish(self, report: Report) -> None:
        """Report what was found; called once, after the last step."""


class WatchedAwaitable:
    """Awaits a plugin's result, and watches each step."""

    def __init__(self, awaitable: Awaitable[Any], call: StepWatch, report: Report) -> None:
        self.awaitable, self.call, self.report = awaitable, call, report

    def __await__(self) -> Generator[Any, Any, Any]:
        try:
            steps = self.awaitable.__await__()
            error: BaseException | None = None
            while True:
                try:
                    with self.call.step():
                        waiting = steps.throw(error) if error else next(steps)
                except StopIteration as ended:
                    return ended.value
                try:
                    yield waiting
                    error = None
                except BaseException as raised:  # a cancellation, or the end of a coroutine that is closed
                    error = raised
        finally:
            self.call.finish(self.report)
