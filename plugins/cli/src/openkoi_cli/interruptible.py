"""Run something that a person, a terminal or a service may end at any time. Knows signals; knows no task."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import click

T = TypeVar("T")
REQUESTS = ("SIGTERM", "SIGHUP")
INTERRUPTED = 130


def interruptible(main: Coroutine[Any, Any, T], runner: asyncio.Runner | None = None) -> T:
    """Run it to its end, or let it tidy up and raise Abort; in the loop of a ``runner``, if one is given."""

    async def listening() -> T:
        listen()
        return await main

    try:
        return runner.run(listening()) if runner else asyncio.run(listening())
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise click.Abort from None


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
