"""Read more of the process's shared state, only in a check, because reading it takes system calls."""

import _locale
import _tracemalloc
import asyncio
import codecs
import decimal
import faulthandler
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from typing import Any

from .process_state import QUICK_PARTS, Part

MUCH_MEMORY = 512 * 2**20  # estimate: more than a local embedding model needs


def has_timer() -> bool:
    return hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0


def read_descriptors() -> list[tuple[int, int] | None]:
    """Return the files that the standard descriptors refer to."""
    found: list[tuple[int, int] | None] = []
    for descriptor in range(3):
        try:
            status = os.fstat(descriptor)
            found.append((status.st_dev, status.st_ino))
        except OSError:
            found.append(None)
    return found


def read_umask() -> int:
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@cache
def resource_module() -> Any:
    """Return the module of resource limits; None if the system has none."""
    with suppress(ImportError):
        import resource

        return resource
    return None


def read_limits() -> list[tuple[int, int]]:
    resource = resource_module()
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return [resource.getrlimit(getattr(resource, name)) for name in names]


def read_blocked_signals() -> set[int]:
    return signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else set()


def restore_blocked_signals(before: set[int]) -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def read_memory() -> int:
    """Return the peak memory use, in bytes."""
    resource, unit = resource_module(), 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit if resource else 0


def describe_memory(before: int, now: int) -> str:
    return f"used {(now - before) // 2**20} MB of memory"


def read_priority() -> list[Any]:
    """Return the priority and the usable processors, if the system supports them."""
    found: list[Any] = [os.getpriority(os.PRIO_PROCESS, 0)] if hasattr(os, "getpriority") else []
    return [*found, os.sched_getaffinity(0)] if hasattr(os, "sched_getaffinity") else found


def read_locale() -> str:
    return str(_locale.setlocale(_locale.LC_ALL))


def restore_locale(before: str) -> None:
    _locale.setlocale(_locale.LC_ALL, before)


def read_loop_policy() -> object:
    return getattr(asyncio.events, "_event_loop_policy", None)


def read_decimals() -> tuple[Any, ...]:
    """Return the precision, rounding and traps of this context."""
    context = decimal.getcontext()
    return context.prec, context.rounding, {kind for kind, is_set in context.traps.items() if is_set}


def restore_decimals(before: tuple[Any, ...]) -> None:
    context = decimal.getcontext()
    context.prec, context.rounding, traps = before
    context.traps = {kind: kind in traps for kind in context.traps}


def read_settings() -> list[Any]:
    return [read() for read, _ in SETTINGS.values()]


def restore_settings(before: Sequence[Any]) -> None:
    for (read, write), earlier in zip(SETTINGS.values(), before, strict=True):
        if read() != earlier:
            write(earlier)


def describe_settings(before: Sequence[Any], now: Sequence[Any]) -> str:
    changed = [name for name, old, new in zip(SETTINGS, before, now, strict=True) if old != new]
    return f"changed interpreter settings ({', '.join(changed)})"


def set_traceback_limit(limit: int | None) -> None:
    if limit is None:
        del sys.tracebacklimit
    else:
        sys.tracebacklimit = limit


def set_no_bytecode(before: bool) -> None:
    sys.dont_write_bytecode = before


def read_stack_size() -> int:
    """Return the size of the stacks of new threads, which reading sets to the default."""
    size = threading.stack_size()
    threading.stack_size(size)
    return size


def read_codecs() -> list[Any]:
    return [codecs.lookup_error(name) for name in CODEC_ERRORS]


def restore_codecs(before: Sequence[Any]) -> None:
    for name, handler in zip(CODEC_ERRORS, before, strict=True):
        codecs.register_error(name, handler)


def has_context_changed(before: Mapping[Any, Any], now: Mapping[Any, Any]) -> bool:
    """Return whether an existing variable has changed; a plugin may set its own variables."""
    return any(now.get(variable, value) is not value for variable, value in before.items())


def restore_context(before: Mapping[Any, Any]) -> None:
    for variable, value in before.items():
        variable.set(value)


def restore_arguments(before: list[str]) -> None:
    sys.argv[:] = before


def restore_temporary_folder(before: str) -> None:
    tempfile.tempdir = before


SETTINGS: Mapping[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "tracebacks": (lambda: getattr(sys, "tracebacklimit", None), set_traceback_limit),
    "compiled files": (lambda: sys.dont_write_bytecode, set_no_bytecode),
    "the integer digit limit": (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    "the async generator hooks": (sys.get_asyncgen_hooks, lambda hooks: sys.set_asyncgen_hooks(*hooks)),
    "coroutine origin tracking": (
        sys.get_coroutine_origin_tracking_depth,
        sys.set_coroutine_origin_tracking_depth,
    ),
    "the thread stack size": (read_stack_size, threading.stack_size),
    "fault reports": (faulthandler.is_enabled, lambda on: faulthandler.enable() if on else faulthandler.disable()),
    "the flags for loading libraries": (getattr(sys, "getdlopenflags", int), getattr(sys, "setdlopenflags", int)),
    "memory tracing": (_tracemalloc.is_tracing, lambda on: None if on else _tracemalloc.stop()),
}
CODEC_ERRORS = ("strict", "ignore", "replace", "surrogateescape", "backslashreplace")
LASTING_PARTS = (  # what is not replaced while a call is watched
    Part("context variables", lambda: dict(copy_context()), restore_context, None, has_context_changed),
    *QUICK_PARTS[2:],
    Part("timer", has_timer, None, lambda *_: "set a timer that interrupts the process"),
    Part("which signals are blocked", read_blocked_signals, restore_blocked_signals),
    Part("the umask", read_umask, os.umask),
    Part("resource limits", read_limits),
    Part("memory", read_memory, None, describe_memory, lambda before, now: now - before > MUCH_MEMORY),
    Part("the process's priority or CPU affinity", read_priority),
    Part("the locale", read_locale, restore_locale),
    Part("the event loop policy", read_loop_policy),
    Part("the decimal context", read_decimals, restore_decimals),
    Part("interpreter settings", read_settings, restore_settings, describe_settings),
    Part("the time zone", lambda: time.tzname, lambda _: time.tzset()),
    Part("how text is decoded", read_codecs, restore_codecs),
    Part("sys.argv", lambda: [*sys.argv], restore_arguments),
    Part("the temporary folder", tempfile.gettempdir, restore_temporary_folder),
    Part("how modules are found", lambda: [*sys.path_hooks]),
)
ALL_PARTS = (
    *QUICK_PARTS[:2],
    Part("descriptors", read_descriptors, None, lambda *_: "closed or replaced a standard descriptor"),
    *LASTING_PARTS,
)
