"""Cut off code of others that does not come back. Knows one timer; knows no plugin.

On the main thread of a POSIX system a timer interrupts; elsewhere lateness can only be measured, by whoever calls.
"""

import asyncio
import signal
import threading
import traceback
from _signal import getsignal  # type: ignore[import-not-found]  # signal's own takes longer than the timer
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, TypeVar

from openkoi_hookspecs import LimitExceededError

T = TypeVar("T")
TIMED = hasattr(signal, "setitimer")
AGAIN, OFTEN = 0.2, 45  # how long each of how many respites is, while other programs have the processors
waits: list[float] = []  # what was read at each ring of the deadline that is set now


class TimedOut(BaseException):
    """The time is up. Not an Exception, so that a plugin's own ``except Exception`` does not swallow it."""


def arm_timer(seconds: float) -> bool:
    """Set the timer, where it can be used: it must exist, be free, and this must be the main thread."""
    if not TIMED or threading.get_ident() != threading.main_thread().ident:
        return False
    if getsignal(signal.SIGALRM) is not on_alarm:
        if signal.getitimer(signal.ITIMER_REAL)[0]:
            return False
        signal.signal(signal.SIGALRM, on_alarm)
    before = signal.setitimer(signal.ITIMER_REAL, seconds)
    if before[0]:
        signal.setitimer(signal.ITIMER_REAL, *before)
    return not before[0]


def on_alarm(_number: int, _frame: FrameType | None) -> None:
    """What the timer does; it stays in place, for putting it there anew each time costs more than the rest.

    On a busy machine an honest plugin is late because it was not let run: while that is so it has a respite.
    """
    waits.append(kept_waiting())
    if len(waits) > OFTEN or (len(waits) > 1 and waits[-1] - waits[-2] < AGAIN / 4):
        raise TimedOut
    signal.setitimer(signal.ITIMER_REAL, AGAIN)


def kept_waiting() -> float:
    """For how many seconds this thread was ready and others ran; 0 where the system does not tell."""
    try:
        with open("/proc/thread-self/schedstat") as told:  # noqa: PTH123  # pathlib is not for signal handlers
            return int(told.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class sync_timeout:  # used as a statement's head, as a function would be
    """Raise Overrun in the body once its time is up, where that can be done."""

    __slots__ = ("can", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.can = False

    def __enter__(self) -> "sync_timeout":
        self.can = arm_timer(self.seconds)
        return self

    def __exit__(self, *error: object) -> None:
        if self.can:
            signal.setitimer(signal.ITIMER_REAL, 0)
            waits.clear()


async def with_timeout(awaited: Awaitable[T], seconds: float, movable: set[asyncio.Timeout] | None = None) -> T:
    """Wait for a plugin, so many seconds at most.

    Raises LimitExceededError, or an Exception whatever the plugin raised.

    While it waits its deadline is among the ``movable``, for whoever has a reason to put it off.
    """
    kept = movable if movable is not None else set()
    try:
        async with asyncio.timeout(max(0.0, seconds)) as deadline:
            kept.add(deadline)
            with confined():
                return await awaited
    except TimeoutError:
        if deadline.expired():
            raise LimitExceededError("seconds") from None
        raise
    finally:
        kept.discard(deadline)


@contextmanager
def confined() -> Iterator[None]:
    """Turn what a plugin raises to end the program, such as SystemExit, into an Exception that names it."""
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        if must_end(error):
            raise
        what = "it was cancelled from within" if isinstance(error, asyncio.CancelledError) else ""
        raise RuntimeError(what or f"{type(error).__name__}: {error}".rstrip(": ")) from error


def must_end(error: BaseException) -> bool:
    """Whether the user interrupted or this task was cancelled; a plugin that raises the same does not end a run."""
    if isinstance(error, asyncio.CancelledError):
        return is_own_cancellation()
    return isinstance(error, KeyboardInterrupt) and signaled(error)


def signaled(error: KeyboardInterrupt) -> bool:
    """Whether an interruption may be a signal's: while a loop takes those itself, it cancels a task instead.

    Only the loop's own handler raises then, when the user presses Ctrl-C again.
    """
    if getsignal(signal.SIGINT) is signal.default_int_handler:
        return True
    last = [*traceback.walk_tb(error.__traceback__)][-1:]
    return any(frame.f_code.co_name == "_on_sigint" for frame, _ in last)


def is_own_cancellation() -> bool:
    """Whether a cancellation is meant for us, and not a stray one of some task of a plugin's."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs: a plugin is imported
        return False
    return task is not None and task.cancelling() > 0


class SteppedAwaitable:
    """Awaits something, and cuts off each stretch of it that does not give way to others in time."""

    def __init__(self, awaitable: Awaitable[T], seconds: float) -> None:
        self.awaitable = awaitable
        self.seconds = seconds

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self.awaitable.__await__()
        send: Callable[[], Any] = partial(next, steps)
        while True:
            try:
                with sync_timeout(self.seconds):
                    waits_for = send()
            except StopIteration as done:
                return done.value
            try:
                value = yield waits_for
                send = partial(steps.send, value) if isinstance(steps, Generator) else partial(next, steps)
            except BaseException as thrown:  # handed on, so that a cancelled hook can tidy up
                send = partial(steps.throw, thrown) if isinstance(steps, Generator) else partial(rethrow, thrown)


def rethrow(thrown: BaseException) -> None:
    raise thrown
