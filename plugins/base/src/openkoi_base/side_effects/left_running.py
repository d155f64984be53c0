"""Detect threads, tasks and processes that a plugin's code leaves running, and coroutines that it never runs."""

import asyncio
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openkoi_hookspecs.lazy_dataclass import dataclass

from .call_recorder import AT_EXIT, LASTING, CallRecorder

if TYPE_CHECKING:
    from .unawaited import UnawaitedWatch

POOL_THREADS = ("asyncio_", "ThreadPoolExecutor", "AnyIO worker")  # of event loops and pools, which wait for work
OWN_MODULES = {"asyncio", "_asyncio", "_contextvars", "concurrent", "anyio", "uvloop"}


@dataclass(frozen=True, slots=True)
class Started:
    """Threads, tasks and processes that were started; some may have ended."""

    threads: set[threading.Thread]
    tasks: set["asyncio.Task[Any]"]
    callbacks: set[asyncio.Handle]
    processes: set[int]
    calls: Sequence[str]
    has_cancelled: bool


class StartWatch:
    """Records what this thread starts until ``finish``: other threads run other code."""

    def __init__(self, *, with_processes: bool) -> None:
        self.threads: set[threading.Thread] = set()
        self.tasks = asyncio.all_tasks()
        self.callbacks = scheduled_callbacks()
        self.cancelled = count_cancelled(self.tasks)
        self.processes = child_processes() if with_processes else None
        self.calls = CallRecorder((AT_EXIT, *LASTING) if with_processes else (AT_EXIT,))
        self.unawaited = watch_unawaited() if with_processes else None
        self.start_before = start = threading.Thread.start
        this, threads = threading.current_thread(), self.threads

        def start_noted(thread: threading.Thread) -> None:
            if threading.current_thread() is this and not is_known_thread(thread):
                threads.add(thread)
            start(thread)

        threading.Thread.start = start_noted  # type: ignore[method-assign, assignment]  # as a method is replaced

    def finish(self) -> Started:
        """Return what was started."""
        threading.Thread.start = self.start_before  # type: ignore[method-assign]  # as above
        processes = set() if self.processes is None else child_processes() - self.processes
        tasks, callbacks = asyncio.all_tasks() - self.tasks, scheduled_callbacks() - self.callbacks
        has_cancelled = count_cancelled(self.tasks) > self.cancelled
        calls = [*self.calls.finish(), *(self.unawaited.finish() if self.unawaited else ())]
        return Started(self.threads, tasks, callbacks, processes, calls, has_cancelled)


def watch_unawaited() -> "UnawaitedWatch":
    """Return a watch for coroutines that are never awaited; only a check imports it."""
    from .unawaited import UnawaitedWatch

    return UnawaitedWatch()


def is_known_thread(thread: threading.Thread) -> bool:
    """Return whether a thread belongs to a pool and waits for work, or runs OpenKoi's own code."""
    function = getattr(thread, "_target", None) or type(thread).run
    return thread.name.startswith(POOL_THREADS) or is_own_code(function)


def describe_thread(thread: threading.Thread) -> str:
    """Return a description of a running thread."""
    return f"left a thread running ({thread.name})"


def describe_task(task: "asyncio.Task[Any]") -> str:
    """Return a description of a running task; empty for OpenKoi's own."""
    coroutine = task.get_coro()
    if is_own_code(coroutine):
        return ""
    return f"left a task running ({getattr(coroutine, '__qualname__', task.get_name())})"


def is_own_code(thing: object) -> bool:
    """Return whether a function or coroutine is part of OpenKoi."""
    frame = getattr(thing, "cr_frame", None)
    module = frame.f_globals.get("__name__") if frame else getattr(thing, "__module__", None)
    return str(module).startswith("openkoi")


def count_cancelled(tasks: Iterable["asyncio.Task[Any]"]) -> int:
    """Return how often tasks of OpenKoi were cancelled, except the current one."""
    current = asyncio.current_task()
    return sum(one.cancelling() for one in tasks if one is not current and is_own_code(one.get_coro()))


def scheduled_callbacks() -> set[asyncio.Handle]:
    """Return the calls that the event loop has scheduled, except its own and OpenKoi's."""
    loop: Any = asyncio.get_running_loop()
    handles = [*getattr(loop, "_scheduled", ()), *getattr(loop, "_ready", ())]
    return {one for one in handles if not one.cancelled() and is_foreign(one)}


def is_foreign(handle: asyncio.Handle) -> bool:
    """Return whether a call's function is a plugin's, or one of Python's that a plugin may have scheduled."""
    function: Any = getattr(handle, "_callback", None)
    while isinstance(function, partial):
        function = function.func
    module = str(getattr(function, "__module__", "") or "_asyncio").partition(".")[0]
    return module not in OWN_MODULES and not module.startswith("openkoi")


def describe_callback(handle: asyncio.Handle) -> str:
    """Return a description of a scheduled call."""
    function: Any = getattr(handle, "_callback", None)
    return f"left a callback scheduled ({getattr(function, '__qualname__', function)})"


def child_processes() -> set[int]:
    """Return the running child processes that this thread started, if the system lists them."""
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
