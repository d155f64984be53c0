"""Time out while waiting for content; read a stream of many small pieces in batches.

Waking up for each piece costs several times as much as parsing it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Self, TypeVar

T = TypeVar("T")

MIN_TIMER_SECONDS = 0.05
REST_SECONDS = 0.01  # users see text 20 times a second
QUICK_SECONDS = 0.005  # between pieces that are worth a rest; tokens of most models are further apart
MIN_QUICK_PIECES = 8  # shorter responses, such as a tool call, are never delayed (estimate)


class IdleTimeoutError(TimeoutError):
    """No content arrived in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class IdleTimeout:
    """A deadline that only content extends.

    One timer serves the whole response, because setting one per piece takes longer than reading them.
    """

    def __init__(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Task[object] | None = None
        self._cancelled_before = count_cancellations()
        self._over = False
        self.renew(seconds)
        self._timer = self._loop.call_at(self._until, self._on_timer)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._timer.cancel()

    def renew(self, seconds: float) -> None:
        """Extend the deadline to this many seconds from now."""
        self._seconds = seconds
        self._until = self._loop.time() + seconds

    def shorten(self, seconds: float) -> None:
        """Set the deadline to this many seconds from now, even if it was later."""
        self._timer.cancel()
        self.renew(seconds)
        self._timer = self._loop.call_at(self._until, self._on_timer)

    def next(self, pieces: AsyncIterator[T]) -> Awaitable[T | None]:
        """Await the next piece, or None after the last; raise IdleTimeoutError at the deadline."""
        return self.wait(anext(pieces, None))

    async def wait(self, coming: Awaitable[T]) -> T:
        """Await a result; raise IdleTimeoutError at the deadline."""
        self._waiting = asyncio.current_task()
        try:
            return await coming
        except asyncio.CancelledError:
            if self._over and self._waiting and self._waiting.uncancel() <= self._cancelled_before:
                raise IdleTimeoutError(self._seconds) from None
            raise
        finally:
            self._waiting = None

    def _on_timer(self) -> None:
        if self._waiting and self._loop.time() >= self._until:
            self._over = self._waiting.cancel()
            return
        self._timer = self._loop.call_at(max(self._until, self._loop.time() + MIN_TIMER_SECONDS), self._on_timer)


def count_cancellations() -> int:
    """Return how often cancellation of the current task was requested."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0


class Pacing:
    """The pace of one response. A piece that is already buffered arrives without a turn of the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._turns = self._turns_before = self._quick = 0
        self._is_counting = False
        self._last = self._loop.time()

    def begin(self) -> None:
        """Record that the next piece is awaited."""
        self._turns_before = self._turns
        if not self._is_counting:
            self._is_counting = True
            self._loop.call_soon(self._count_turn)

    async def rest(self) -> None:
        """Wait briefly if small pieces arrive in quick succession, so that the next ones are read in one batch."""
        if self._turns == self._turns_before:
            return
        now = self._loop.time()
        self._quick, self._last = self._quick + 1 if now - self._last < QUICK_SECONDS else 0, now
        if self._quick >= MIN_QUICK_PIECES:
            await asyncio.sleep(REST_SECONDS)
            self._last = self._loop.time()

    def _count_turn(self) -> None:
        self._is_counting = False
        self._turns += 1
