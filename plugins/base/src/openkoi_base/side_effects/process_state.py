"""Read the state of the process that all code shares, such as its working directory, and restore it."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from operator import ne
from typing import Any

from openkoi_hookspecs.lazy_dataclass import dataclass

SIGNALS = [
    number
    for name in ("INT", "TERM", "HUP", "QUIT", "CHLD", "ALRM", "PIPE", "USR1", "USR2", "TSTP", "WINCH")
    if (number := getattr(signal, f"SIG{name}", None))
]
get_handler = sys.modules["_signal"].getsignal  # without the conversion to names, which takes 20 times longer
STREAMS = ("stdin", "stdout", "stderr")
CATCH_ALL = (("error", None, Warning, None, 0), ("ignore", None, Warning, None, 0))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the state: how it is read and restored, and how a change is described; by default as "changed NAME".

    ``has_changed`` compares what was read before and now; by default anything else is a change.
    """

    name: str
    read: Callable[[], Any]
    restore: Callable[[Any], object] | None = None
    describe: Callable[[Any, Any], str] | None = None
    has_changed: Callable[[Any, Any], bool] = ne

    def explain(self, before: Any, now: Any) -> str:
        """Return a description of a change."""
        return self.describe(before, now) if self.describe else f"changed {self.name}"


def read_state(parts: Sequence[Part]) -> list[Any]:
    """Return the state, a value for each part."""
    return [part.read() for part in parts]


def restore_state(parts: Sequence[Part], before: Sequence[Any]) -> list[str]:
    """Restore the parts that differ from an earlier state, if possible; return what was changed."""
    changes: list[str] = []
    for part, earlier in zip(parts, before, strict=True):
        now = part.read()
        if part.has_changed(earlier, now):
            undone = " (undone)" if part.restore and can_restore(part.restore, earlier) else ""
            changes.append(f"{part.explain(earlier, now)}{undone}")
    return changes


def can_restore(restore: Callable[[Any], object], before: Any) -> bool:
    """Restore a part; return whether that was possible: a folder may have been deleted."""
    try:
        restore(before)
    except Exception:
        return False
    return True


def restore_stream_settings(before: Sequence[tuple[Any, ...]]) -> None:
    """Restore the encoding of the open streams."""
    for name, (_, encoding, errors) in zip(STREAMS, before, strict=True):
        getattr(sys, name).reconfigure(encoding=encoding, errors=errors)


def read_folder() -> str:
    with suppress(OSError):
        return os.getcwd()  # noqa: PTH109  # a Path takes 20 times longer
    return ""


def read_variables() -> dict[Any, Any]:
    """Return the environment in its encoded form: decoding it takes a hundred times longer."""
    return dict(getattr(os.environ, "_data", os.environ))


def restore_variables(before: Mapping[Any, Any]) -> None:
    """Restore the environment."""
    now = read_variables()
    for name in (one for one in {*before, *now} if before.get(one) != now.get(one)):
        if name in before:
            os.environ[os.fsdecode(name)] = os.fsdecode(before[name])
        else:
            del os.environ[os.fsdecode(name)]


def describe_variables(before: Mapping[Any, Any], now: Mapping[Any, Any]) -> str:
    """Return the names of changed variables, without their values."""
    names = sorted(os.fsdecode(name) for name in {*before, *now} if before.get(name) != now.get(name))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"changed environment variables ({', '.join(names[:3])}{more})"


def read_handlers() -> list[Any]:
    return [get_handler(number) for number in SIGNALS]


def restore_handlers(before: Sequence[Any]) -> None:
    for number, handler in zip(SIGNALS, before, strict=True):
        if handler is not None and get_handler(number) is not handler:
            signal.signal(number, handler)


def describe_handlers(before: Sequence[Any], now: Sequence[Any]) -> str:
    names = [number.name for number, old, new in zip(SIGNALS, before, now, strict=True) if old is not new]
    return f"changed the handling of {', '.join(names)}"


def read_streams() -> list[Any]:
    return [getattr(sys, name) for name in STREAMS]


def restore_streams(before: Sequence[Any]) -> None:
    for name, stream in zip(STREAMS, before, strict=True):
        setattr(sys, name, stream)


def read_stream_settings() -> list[tuple[object, ...]]:
    """Return whether each stream is closed, and how it encodes."""
    names = ("closed", "encoding", "errors")
    return [tuple(getattr(getattr(sys, stream), name, None) for name in names) for stream in STREAMS]


def read_tracers() -> tuple[Any, Any]:
    return sys.gettrace(), sys.getprofile()


def restore_tracers(before: tuple[Any, Any]) -> None:
    sys.settrace(before[0])
    sys.setprofile(before[1])


def read_error_hooks() -> list[Any]:
    return [sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook, warnings.showwarning]


def restore_error_hooks(before: Sequence[Any]) -> None:
    sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook, warnings.showwarning = before


def restore_path(before: Sequence[str]) -> None:
    sys.path[:] = before


def read_gc() -> tuple[bool, tuple[int, int, int], list[Any]]:
    return gc.isenabled(), gc.get_threshold(), [*gc.callbacks]


def restore_gc(before: tuple[bool, tuple[int, int, int], list[Any]]) -> None:
    (gc.enable if before[0] else gc.disable)()
    gc.set_threshold(*before[1])
    gc.callbacks[:] = before[2]


def read_logging() -> tuple[int, int]:
    return logging.root.manager.disable, logging.root.level


def restore_logging(before: tuple[int, int]) -> None:
    logging.disable(before[0])
    logging.root.setLevel(before[1])


def read_log_handlers() -> list[Any]:
    return [*logging.root.handlers]


def restore_log_handlers(before: Sequence[Any]) -> None:
    logging.root.handlers[:] = before


def read_warning_filters() -> list[Any]:
    return [*warnings.filters]


def have_filters_changed(before: Sequence[Any], now: Sequence[Any]) -> bool:
    """Return whether a filter is gone, or a new one applies to all warnings; libraries may add others."""
    return any(one not in now for one in before) or any(one in now and one not in before for one in CATCH_ALL)


@cache
def member_names(kind: type) -> frozenset[str]:
    return frozenset(dir(kind))


def read_loop() -> tuple[Any, ...]:
    """Return the event loop's exception handler, debug mode, task factory, slow threshold, and replaced methods."""
    loop = asyncio.get_running_loop()
    kind: Any = type(loop)
    replaced = sorted(member_names(kind).intersection(getattr(loop, "__dict__", ())))
    stopping = getattr(loop, "_stopping", False)
    slow = getattr(loop, "slow_callback_duration", 0.0)
    return loop.get_exception_handler(), loop.get_debug(), stopping, loop.get_task_factory(), slow, replaced


def restore_loop(before: tuple[Any, ...]) -> None:
    loop: Any = asyncio.get_running_loop()
    for name in {*read_loop()[-1]} - {*before[-1]}:
        delattr(loop, name)
    loop.set_exception_handler(before[0])
    loop.set_debug(before[1])
    if getattr(loop, "_stopping", False) and not before[2]:
        loop._stopping = False
    loop.set_task_factory(before[3])
    loop.slow_callback_duration = before[4]


def read_finders() -> list[Any]:
    return [*sys.meta_path]


def have_finders_changed(before: Sequence[Any], now: Sequence[Any]) -> bool:
    """Return whether a finder was removed or put before others; libraries may append theirs."""
    return [*before[:1]] != [*now[:1]] or any(one not in now for one in before)


def restore_finders(before: Sequence[Any]) -> None:
    first = sys.meta_path.index(before[0]) if before[0] in sys.meta_path else len(sys.meta_path)
    sys.meta_path[:] = [*before, *(one for one in sys.meta_path[first:] if one not in before)]


QUICK_PARTS = (
    Part("the standard streams", read_streams, restore_streams),
    Part(
        "stream settings",
        read_stream_settings,
        restore_stream_settings,
        lambda *_: "closed or reconfigured a standard stream",
    ),
    Part("the working directory", read_folder, os.chdir),
    Part("variables", read_variables, restore_variables, describe_variables),
    Part("handlers", read_handlers, restore_handlers, describe_handlers),
    Part("the trace or profile function", read_tracers, restore_tracers),
    Part("how uncaught errors and warnings are reported", read_error_hooks, restore_error_hooks),
    Part("sys.path", lambda: [*sys.path], restore_path),
    Part("how modules are imported", read_finders, restore_finders, None, have_finders_changed),
    Part("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    Part("the switch interval", sys.getswitchinterval, sys.setswitchinterval),
    Part("garbage collection", read_gc, restore_gc),
    Part("the default socket timeout", socket.getdefaulttimeout, socket.setdefaulttimeout),
    Part("the logging level", read_logging, restore_logging),
    Part("the root logger's handlers", read_log_handlers, restore_log_handlers),
    Part("the warning filters", read_warning_filters, None, None, have_filters_changed),
    Part("the event loop", read_loop, restore_loop),
)
