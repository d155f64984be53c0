"""Run jobs in threads from an event loop: a job ends when the task that waits for it is cancelled."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from pathlib import Path
from typing import TypeVar

from openkoi_hookspecs import CommandResult, KoiError

from .protected_job import ProtectedJob
from .retry_when_full import MAX_WAIT_SECONDS, PAUSE_SECONDS, SYSTEM_FULL, is_system_full
from .run_until_timeout import Job

T = TypeVar("T")


async def run_job(job: "Job | ProtectedJob") -> CommandResult:
    """Run a job; when this returns, or is cancelled, none of its processes is left."""
    done = await run_in_thread(job.run)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        job.cancelled.set()
        await wait_until_dead(done)
        raise


async def run_in_thread(work: Callable[[], T]) -> "asyncio.Future[T]":
    """Start the job in its own thread, in the current context; a pool may be full of jobs that wait for others."""
    future: Future[T] = Future()

    def do() -> None:
        if not future.set_running_or_notify_cancel():  # once it runs, the job is stopped and not the future
            return
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while not try_start_thread(do, last=time.monotonic() > deadline):  # noqa: ASYNC110  # no event tells that there is room
        await asyncio.sleep(PAUSE_SECONDS)
    return asyncio.wrap_future(future)


def try_start_thread(work: Callable[[], None], *, last: bool) -> bool:
    """Start a thread; return False if the system is full and a retry is left."""
    try:
        threading.Thread(target=copy_context().run, args=(work,), name="openkoi-command", daemon=True).start()
    except RuntimeError as error:
        if not is_system_full(error):
            raise
        if last:
            raise KoiError(SYSTEM_FULL) from error
        return False
    return True


async def wait_until_dead(done: "asyncio.Future[CommandResult]") -> None:
    """Wait until the process tree is dead, even if cancelled again."""
    while not done.done():
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            continue


def check_writable(folder: Path) -> None:
    """Raise unless long outputs can be saved."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = folder / "examined"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError as error:
        raise KoiError(f"Cannot save long outputs in {folder}: {error.strerror}. Make the folder writable.") from error
