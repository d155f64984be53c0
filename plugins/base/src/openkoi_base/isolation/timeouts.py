"""Time out plugin code that takes too long, such as a tool or a worker, and contain its errors.

Only asynchronous code can be interrupted. Synchronous code holds its thread until it returns, so that its lateness is
measured.
"""

import asyncio
import signal
import traceback
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from time import perf_counter
from types import coroutine
from typing import Any, TypeVar

from openkoi_hookspecs import LimitExceededError

T = TypeVar("T")
MAX_MESSAGE = 2_000  # characters of an error: more than the longest of ours, which lists choices


@contextmanager
def report_lateness(seconds: float, report: Callable[[str], object]) -> Iterator[None]:
    """Report if the body took longer than ``seconds``, after it returned or raised."""
    started = perf_counter()
    try:
        yield
    finally:
        if perf_counter() - started > seconds:
            report(f"took more than {seconds:g} s")


async def with_timeout(awaited: Awaitable[T], seconds: float, movable: set[asyncio.Timeout] | None = None) -> T:
    """Await a plugin, for at most this many seconds.

    Raise LimitExceededError, or an Exception whatever the plugin raised. While it waits its deadline is among the
    ``movable``, for those who may postpone it; one whose deadline never moves has no timer until it waits.
    """
    until = asyncio.get_running_loop().time() + max(0.0, seconds)
    if movable is not None:
        return await await_until(until, awaited, movable)
    steps = awaited.__await__()
    with contain_exit():
        try:
            waited_for = next(steps)
        except StopIteration as done:
            value: T = done.value
            return value
    return await await_until(until, continue_steps(steps, waited_for), set())


async def await_until(until: float, awaited: Awaitable[T], movable: set[asyncio.Timeout]) -> T:
    """Await a plugin until a time of the loop's clock."""
    try:
        async with asyncio.timeout_at(until) as deadline:
            movable.add(deadline)
            with contain_exit():
                return await awaited
    except TimeoutError:
        if deadline.expired():
            raise LimitExceededError("seconds") from None
        raise
    finally:
        movable.discard(deadline)


@coroutine
def continue_steps(steps: Generator[Any, Any, T], waited_for: Any) -> Generator[Any, Any, T]:
    """Continue a coroutine that has started to wait."""
    try:
        while True:
            try:
                sent = yield waited_for
            except GeneratorExit:
                steps.close()
                raise
            except BaseException as error:  # as `await` passes it on
                waited_for = steps.throw(error)
            else:
                waited_for = steps.send(sent)
    except StopIteration as done:
        value: T = done.value
        return value


@contextmanager
def contain_exit() -> Iterator[None]:
    """Convert an exception of a plugin that would end the program, such as SystemExit, to an Exception that names it.

    So is an error that cannot be printed, because reporting it would fail.
    """
    try:
        yield
    except BaseException as error:
        if must_end(error) or (isinstance(error, Exception) and is_printable(error)):
            raise
        what = "it cancelled itself" if isinstance(error, asyncio.CancelledError) else ""
        raise RuntimeError(what or format_error(error)) from error


def format_error(error: BaseException) -> str:
    """Return an error's type and the start of its message, if it has a printable one."""
    name = type(error).__name__
    return f"{name}: {str(error)[:MAX_MESSAGE]}".rstrip(": ") if is_printable(error) else name


def is_printable(error: BaseException) -> bool:
    """Return whether an error's message can be formatted."""
    try:
        str(error)
    except Exception:
        return False
    return True


def must_end(error: BaseException) -> bool:
    """Return whether the user interrupted or this task was cancelled.

    A plugin that raises the same does not end a run.
    """
    if isinstance(error, asyncio.CancelledError):
        return is_own_cancellation()
    return isinstance(error, KeyboardInterrupt) and is_from_signal(error)


def is_from_signal(error: KeyboardInterrupt) -> bool:
    """Return whether an interruption may be a signal's: while a loop handles those itself, it cancels a task instead.

    Only the loop's own handler raises then, when the user presses Ctrl-C again.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return True
    last = [*traceback.walk_tb(error.__traceback__)][-1:]
    return any(frame.f_code.co_name == "_on_sigint" for frame, _ in last)


def is_own_cancellation() -> bool:
    """Return whether a cancellation is meant for this task, and does not come from a plugin's task."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs: a plugin is imported
        return False
    return task is not None and task.cancelling() > 0
