"""Run jobs from an event loop: in a thread each, ended when the loop's task is told to stop."""

import asyncio
import threading
from concurrent.futures import Future
from pathlib import Path

from openkoi_hookspecs import Completed, KoiError

from .job import Job


async def perform(job: Job) -> Completed:
    """Run a job; when this returns, or is cancelled, no process of it is left."""
    done = asyncio.wrap_future(in_thread(job))
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        job.cancelled.set()
        await ended(done)
        raise


def in_thread(job: Job) -> "Future[Completed]":
    """Run a job in a thread of its own: a pool could be full of jobs that wait for others."""
    future: Future[Completed] = Future()

    def work() -> None:
        try:
            future.set_result(job.run())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, name="openkoi-command", daemon=True).start()
    return future


async def ended(done: "asyncio.Future[Completed]") -> None:
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
