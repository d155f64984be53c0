"""Notice the threads, tasks and processes that a plugin's code leaves running."""

import asyncio
import os
import threading
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

from openkoi_hookspecs.lazy_dataclass import dataclass

POOL_THREADS = ("asyncio_", "ThreadPoolExecutor", "AnyIO worker")  # of event loops and pools, which wait for work
OWN_CODE = f"{os.sep}openkoi"


@dataclass(frozen=True, slots=True)
class Started:
    """What was started; some of it may have ended."""

    threads: set[threading.Thread]
    tasks: set["asyncio.Task[Any]"]
    processes: set[int]


class StartWatch:
    """Notes what this thread starts until ``finish``: other threads do the work of other code."""

    def __init__(self, *, with_processes: bool) -> None:
        self.threads: set[threading.Thread] = set()
        self.tasks = asyncio.all_tasks()
        self.processes = child_processes() if with_processes else None
        self.start_before = start = threading.Thread.start
        this, threads = threading.current_thread(), self.threads

        def start_noted(thread: threading.Thread) -> None:
            if threading.current_thread() is this and not thread.name.startswith(POOL_THREADS):
                threads.add(thread)
            start(thread)

        threading.Thread.start = start_noted  # type: ignore[method-assign, assignment]  # as a method is replaced

    def finish(self) -> Started:
        """Return what was started."""
        threading.Thread.start = self.start_before  # type: ignore[method-assign]  # as above
        processes = set() if self.processes is None else child_processes() - self.processes
        return Started(self.threads, asyncio.all_tasks() - self.tasks, processes)


def describe_thread(thread: threading.Thread) -> str:
    """Say which thread runs."""
    return f"left a thread running ({thread.name})"


def describe_task(task: "asyncio.Task[Any]") -> str:
    """Say which task runs; nothing of one that is OpenKoi's own."""
    coroutine = task.get_coro()
    code = getattr(coroutine, "cr_code", None)
    if isinstance(code, CodeType) and OWN_CODE in code.co_filename:
        return ""
    return f"left a task running ({getattr(coroutine, '__qualname__', task.get_name())})"


def child_processes() -> set[int]:
    """Return the running child processes that this thread started, where the system lists them."""
    with suppress(OSError):
        listed = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()
        return {one for one in map(int, listed.split()) if not has_ended(one)}
    return set()


def has_ended(process: int) -> bool:
    """Return whether a process has ended and only its status is left."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
