"""Run coroutines that Ctrl-C and signals may interrupt at any time."""

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import click

from openkoi_base.isolation import must_end

T = TypeVar("T")
END_SIGNALS = ("SIGTERM", "SIGHUP")
EXIT_INTERRUPTED = 130
STDERR = 2  # the file descriptor, because a handler may interrupt a write to `sys.stderr`
STILL_STOPPING = b"\n  ! Still stopping. To quit without cleaning up, press Ctrl-C again.\n"


def run_interruptible(main: Coroutine[Any, Any, T], runner: asyncio.Runner | None = None) -> T:
    """Run to the end, or clean up and raise Abort; in the loop of ``runner`` if given."""
    try:
        if runner:
            return run_in_loop(main, runner)
        with asyncio.Runner() as own:
            return run_in_loop(main, own)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise click.Abort from None


def run_in_loop(main: Coroutine[Any, Any, T], runner: asyncio.Runner) -> T:
    """Run to the end, even if a plugin's own task raises KeyboardInterrupt or SystemExit.

    asyncio stops the loop for these, whichever task raises them; the main task has not ended then and continues.
    """
    tasks: list[asyncio.Task[Any]] = []

    async def listening() -> T:
        tasks.extend(filter(None, [asyncio.current_task()]))
        handle_signals()
        return await main

    run: Callable[[], T] = partial(runner.run, listening())
    while True:
        try:
            return run()
        except (KeyboardInterrupt, SystemExit) as error:
            if not tasks or tasks[0].done() or must_end(error):
                raise
            click.echo(f"  ! {type(error).__name__} was raised by {find_origin(error)}; the run continues.", err=True)
            run = partial(runner.get_loop().run_until_complete, tasks[0])


def find_origin(error: BaseException) -> str:
    """Return where an error was raised."""
    last = [f"{frame.f_code.co_filename}:{line}" for frame, line in traceback.walk_tb(error.__traceback__)][-1:]
    return "".join(last)


def handle_signals() -> None:
    """Treat requests to end and a closed terminal as interrupts, unless they are ignored."""
    task = asyncio.current_task()
    if sys.platform == "win32" or task is None:
        return
    loop, counter = asyncio.get_running_loop(), InterruptCounter(task)
    for number in (getattr(signal, name) for name in END_SIGNALS):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, task.cancel)
    loop.add_signal_handler(signal.SIGINT, counter.cancel_once)
    signal.signal(signal.SIGINT, counter.count_interrupt)  # runs also while a plugin blocks the loop


class InterruptCounter:
    """Counts Ctrl-C: the first cancels, the second says how to quit, the third exits without cleanup."""

    def __init__(self, task: "asyncio.Task[Any]") -> None:
        self.task = task
        self.times = 0
        self.cancelled = False

    def cancel_once(self) -> None:
        """Cancel the task at the first interrupt."""
        if not self.cancelled:
            self.cancelled = True
            self.task.cancel()

    def count_interrupt(self, *_: object) -> None:
        """Count one interrupt."""
        self.times += 1
        if self.times == 2:
            with suppress(OSError):
                os.write(STDERR, STILL_STOPPING)
        if self.times == 3:
            if keyboard := sys.modules.get("openkoi_cli.keyboard"):  # without it, the terminal is as it was
                keyboard.restore_terminal_modes()
            os._exit(EXIT_INTERRUPTED)
