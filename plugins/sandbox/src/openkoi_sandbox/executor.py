"""Run jobs from an event loop: in a thread each, ended when the loop's task is told to stop."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from pathlib import Path
from typing import TypeVar

from openkoi_hookspecs import CommandResult, KoiError

from .job import Job
from .protecting import ProtectedJob
from .room import FULL, PATIENCE, PAUSE, is_full

T = TypeVar("T")


async def perform(job: "Job | ProtectedJob") -> CommandResult:
    """Run a job; when this returns, or is cancelled, no process of it is left."""
    done = await in_thread(job.run)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        job.cancelled.set()
        await ended(done)
        raise


async def in_thread(work: Callable[[], T]) -> "asyncio.Future[T]":
    """Begin it in a thread of its own, in the context of ours: a pool could be full of jobs that wait for others."""
    future: Future[T] = Future()

    def do() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    deadline = time.monotonic() + PATIENCE
    while not begun(do, last=time.monotonic() > deadline):  # noqa: ASYNC110  # no event tells that there is room
        await asyncio.sleep(PAUSE)
    return asyncio.wrap_future(future)


def begun(work: Callable[[], None], *, last: bool) -> bool:
    """Start a thread; false when there is no room for one and this was not the last try."""
    try:
        threading.Thread(target=copy_context().run, args=(work,), name="openkoi-command", daemon=True).start()
    except RuntimeError as error:
        if not is_full(error):
            raise
        if last:
            raise KoiError(FULL) from error
        return False
    return True


async def ended(done: "asyncio.Future[CommandResult]") -> None:
    """Wait until the tree is dead, even if told again not to."""
    while not done.done():
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            continue


def check_writable(folder: Path) -> None:
    """Make sure that long outputs can be kept."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = folder / "examined"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError as error:
        raise KoiError(f"Long outputs cannot be kept in {folder}: {error.strerror}. Make it writable.") from error
