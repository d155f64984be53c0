"""A plugin that is awaited within a time: what it does comes out as with a plain ``await`` in a timeout."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from openkoi_base.isolation import contain_exit, with_timeout
from openkoi_hookspecs import LimitExceededError

pytestmark = pytest.mark.unit
LONG, NONE = 60.0, 0.0


async def plainly(awaited: Awaitable[object], seconds: float, movable: set[asyncio.Timeout]) -> object:
    """What it is measured by."""
    try:
        async with asyncio.timeout(seconds) as deadline:
            movable.add(deadline)
            with contain_exit():
                return await awaited
    except TimeoutError:
        if deadline.expired():
            raise LimitExceededError("seconds") from None
        raise
    finally:
        movable.discard(deadline)


async def fixed(awaited: Awaitable[object], seconds: float, movable: set[asyncio.Timeout]) -> object:
    """Where nobody may postpone the deadline."""
    return await with_timeout(awaited, seconds)


async def silent() -> str:
    return "at once"


async def yielding() -> str:
    for _ in range(3):
        await asyncio.sleep(0)
    return "later"


async def nested() -> object:
    async with asyncio.timeout(LONG):
        return await asyncio.gather(yielding(), silent())


async def endless() -> None:
    await asyncio.Event().wait()


async def own_timeout() -> None:
    async with asyncio.timeout(NONE):
        await endless()


async def stubborn() -> str:
    try:
        await endless()
    except asyncio.CancelledError:
        return "it went on"
    return "it ended"


async def cleaning() -> None:
    try:
        await endless()
    finally:
        await asyncio.sleep(0)


async def failing_late() -> None:
    await asyncio.sleep(0)
    raise ValueError("late")


async def failing() -> None:
    raise ValueError("at once")


async def ending(wait: bool) -> None:
    if wait:
        await asyncio.sleep(0)
    raise SystemExit(3)


async def cancelling(wait: bool) -> None:
    if wait:
        await asyncio.sleep(0)
    raise asyncio.CancelledError


def done_future() -> Awaitable[object]:
    future = asyncio.get_running_loop().create_future()
    future.set_result("known")
    return future


PLUGINS: dict[str, Callable[[], Awaitable[object]]] = {
    **{one.__name__: one for one in (silent, yielding, nested, endless, own_timeout, stubborn, cleaning)},
    **{one.__name__: one for one in (failing, failing_late, done_future)},
    "a task": lambda: asyncio.ensure_future(yielding()),
    **{f"{one.__name__} {wait}": partial(one, wait) for one in (ending, cancelling) for wait in (False, True)},
}
WITHOUT_END = ("endless", "stubborn", "cleaning")


async def outcome(way: Callable[..., Awaitable[object]], plugin: str, seconds: float, cancelled: bool) -> list[object]:
    """Return how it ended, and what it left behind."""
    movable: set[asyncio.Timeout] = set()

    async def caller() -> object:
        try:
            return await way(PLUGINS[plugin](), seconds, movable)
        except Exception as error:
            return type(error), str(error)

    task = asyncio.ensure_future(caller())
    for _ in range(2):
        await asyncio.sleep(0)
    if cancelled:
        task.cancel()
    [ended] = await asyncio.gather(task, return_exceptions=True)
    return [ended if not isinstance(ended, BaseException) else type(ended), movable, task.cancelling()]


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize(("seconds", "cancelled"), [(LONG, False), (LONG, True), (NONE, False), (NONE, True)])
def test_it_ends_as_a_plain_await_does(plugin: str, seconds: float, cancelled: bool) -> None:
    if plugin in WITHOUT_END and not cancelled:
        seconds = NONE
    ways = (plainly, with_timeout, fixed)
    plain, movable, unmovable = (asyncio.run(outcome(way, plugin, seconds, cancelled)) for way in ways)

    assert plain == movable == unmovable


class CountingLoop(asyncio.SelectorEventLoop):
    """An event loop that counts its timers."""

    timers = 0

    def call_at(self, *arguments: Any, **more: Any) -> asyncio.TimerHandle:  # type: ignore[override]  # passed on
        self.timers += 1
        return super().call_at(*arguments, **more)


@pytest.mark.parametrize(("plugin", "timers"), [(silent, 0), (done_future, 0), (failing, 0), (yielding, 1)])
def test_only_a_plugin_that_waits_has_a_timer(plugin: Callable[[], Awaitable[Any]], timers: int) -> None:
    async def story() -> None:
        with suppress(ValueError):
            await with_timeout(plugin(), LONG)

    with asyncio.Runner(loop_factory=CountingLoop) as runner:
        runner.run(story())
        loop = runner.get_loop()

        assert isinstance(loop, CountingLoop)
        assert timers == loop.timers


def test_a_deadline_can_be_postponed_by_what_the_plugin_does_first() -> None:
    movable: set[asyncio.Timeout] = set()

    async def pausing() -> str:
        for deadline in movable:
            deadline.reschedule(None)
        return await yielding()

    assert "later" == asyncio.run(with_timeout(pausing(), NONE, movable))
    assert set() == movable
