"""Make calls in threads for an event loop.

The pool of the standard library takes 50 microseconds more for each (measured), which is most of a short call.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple, TypeVar

T = TypeVar("T")
JOIN_SECONDS = 0.1  # at the end, for a call that the clock has stopped (estimate)


class Job(NamedTuple):
    """A queued call, and the future that waits for it."""

    work: Callable[[], object]
    future: "asyncio.Future[object]"
    loop: asyncio.AbstractEventLoop


class CallThreads:
    """A limited number of threads, each started on demand."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.jobs: SimpleQueue[Job | None] = SimpleQueue()
        self.threads: list[Thread] = []
        self.closed = False

    def submit(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        """Return a future for the result of the work; if it is cancelled before the work begins, nothing is done."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if len(self.threads) < self.most:
            self.threads.append(Thread(target=self.work, name="openkoi-wasm", daemon=True))
            self.threads[-1].start()
        self.jobs.put(Job(work, future, loop))  # type: ignore[arg-type]  # whose result is that of its work
        return future

    def work(self) -> None:
        """Run queued calls until the threads are stopped."""
        while job := self.jobs.get():
            if self.closed or job.future.cancelled():
                settle(job, job.future.cancel)
                continue
            try:
                result = job.work()
            except Exception as error:  # of whatever kind: it is raised where the call was made
                settle(job, job.future.set_exception, error)
            else:
                settle(job, job.future.set_result, result)

    def close(self, stop: Callable[[], object]) -> None:
        """Cancel the calls that have not begun, and wait for those under way, which ``stop`` ends."""
        self.closed = True
        for _ in self.threads:
            self.jobs.put(None)
        for thread in self.threads:
            while thread.is_alive():
                stop()  # again, for a call that was just about to begin
                thread.join(JOIN_SECONDS)


def settle(job: Job, how: Callable[..., object], *result: object) -> None:
    """Pass a result to a loop, unless it has ended."""
    with suppress(RuntimeError):
        job.loop.call_soon_threadsafe(settle_if_awaited, job.future, how, *result)


def settle_if_awaited(future: "asyncio.Future[object]", how: Callable[..., object], *result: object) -> None:
    if not future.done():
        how(*result)
