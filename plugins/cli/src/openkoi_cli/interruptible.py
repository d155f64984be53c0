"""Run something that a person, a terminal or a service may end at any time. Knows signals; knows no task."""

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import click

from openkoi_base.isolation import must_end

T = TypeVar("T")
REQUESTS = ("SIGTERM", "SIGHUP")
INTERRUPTED = 130


def interruptible(main: Coroutine[Any, Any, T], runner: asyncio.Runner | None = None) -> T:
    """Run it to its end, or let it tidy up and raise Abort; in the loop of a ``runner``, if one is given."""
    try:
        if runner:
            return run_on(main, runner)
        with asyncio.Runner() as own:
            return run_on(main, own)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise click.Abort from None


def run_on(main: Coroutine[Any, Any, T], runner: asyncio.Runner) -> T:
    """Run it, also past a KeyboardInterrupt or SystemExit that a plugin raises in a task of its own.

    asyncio ends the loop for these, whichever task raises them; ours has not ended then, and continues.
    """
    tasks: list[asyncio.Task[Any]] = []

    async def listening() -> T:
        tasks.extend(filter(None, [asyncio.current_task()]))
        listen()
        return await main

    run: Callable[[], T] = partial(runner.run, listening())
    while True:
        try:
            return run()
        except (KeyboardInterrupt, SystemExit) as error:
            if not tasks or tasks[0].done() or must_end(error):
                raise
            click.echo(f"  ! {type(error).__name__} was raised by {origin_of(error)}; the run continues.", err=True)
            run = partial(runner.get_loop().run_until_complete, tasks[0])


def origin_of(error: BaseException) -> str:
    """Name the place that raised an error."""
    last = [f"{frame.f_code.co_filename}:{line}" for frame, line in traceback.walk_tb(error.__traceback__)][-1:]
    return "".join(last)


def listen() -> None:
    """A request to end, or a terminal that goes away, is an interruption like any other, unless it is ignored."""
    task = asyncio.current_task()
    if sys.platform == "win32" or task is None:
        return
    loop, patience = asyncio.get_running_loop(), Patience(task)
    for number in (getattr(signal, name) for name in REQUESTS):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, task.cancel)
    loop.add_signal_handler(signal.SIGINT, patience.interrupted)


class Patience:
    """A person who presses Ctrl-C: once is enough, twice does no harm, the third time there is no tidying up."""

    def __init__(self, task: "asyncio.Task[Any]") -> None:
        self.task = task
        self.times = 0

    def interrupted(self) -> None:
        """Take one interruption."""
        self.times += 1
        if self.times == 1:
            self.task.cancel()
        elif self.times == 3:
            os._exit(INTERRUPTED)
