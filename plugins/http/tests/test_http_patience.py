"""Test that timeouts end waiting, and never swallow a cancellation."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from openkoi_http.idle_timeout import IdleTimeout


async def never() -> AsyncIterator[int]:
    await asyncio.sleep(60)
    yield 1


async def wait(seconds: float) -> int | None:
    async with IdleTimeout(seconds) as patience:
        return await patience.next(never())


def test_patience_comes_to_an_end() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(wait(0.05))


def test_who_is_cancelled_at_that_very_moment_is_cancelled() -> None:
    async def both() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(wait(0.05))
        await asyncio.sleep(0)
        loop.call_later(0.06, task.cancel)
        time.sleep(0.1)  # noqa: ASYNC251 - so that both are due at once
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(both())


def test_a_task_goes_on_after_its_patience_came_to_an_end() -> None:
    async def twice() -> int:
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await wait(0.02)
        task = asyncio.current_task()
        return task.cancelling() if task else -1

    assert asyncio.run(twice()) == 0
