"""Waiting for the next piece of an answer, but not for ever. Knows the clock, not what comes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Self, TypeVar

T = TypeVar("T")

SNOOZE = 0.05


class Silence(TimeoutError):
    """Nothing new came for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Patience:
    """A deadline that only content puts off.

    One timer serves the whole answer: setting one for each of its pieces takes longer than reading them.
    """

    def __init__(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Task[object] | None = None
        self._cancelled_before = cancellations()
        self._over = False
        self.renew(seconds)
        self._timer = self._loop.call_at(self._until, self._ring)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._timer.cancel()

    def renew(self, seconds: float) -> None:
        """Wait so many seconds from now."""
        self._seconds = seconds
        self._until = self._loop.time() + seconds

    def hasten(self, seconds: float) -> None:
        """Wait so many seconds from now and no longer, whatever was granted before."""
        self._timer.cancel()
        self.renew(seconds)
        self._timer = self._loop.call_at(self._until, self._ring)

    async def next(self, pieces: AsyncIterator[T]) -> T | None:
        """Return the next piece, None after the last; raises Silence when patience is at an end."""
        return await self.wait(anext(pieces, None))

    async def wait(self, coming: Awaitable[T]) -> T:
        """Return what is coming; raises Silence when patience is at an end."""
        self._waiting = asyncio.current_task()
        try:
            return await coming
        except asyncio.CancelledError:
            if self._over and self._waiting and self._waiting.uncancel() <= self._cancelled_before:
                raise Silence(self._seconds) from None
            raise
        finally:
            self._waiting = None

    def _ring(self) -> None:
        if self._waiting and self._loop.time() >= self._until:
            self._over = self._waiting.cancel()
            return
        self._timer = self._loop.call_at(max(self._until, self._loop.time() + SNOOZE), self._ring)


def cancellations() -> int:
    """How often the current task was asked to end."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0
