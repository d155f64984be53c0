"""Read more of the state that all code of a process shares: what a check looks at, because it takes system calls."""

import _locale
import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import cache
from typing import Any

from .process_state import QUICK_PARTS, Part

MUCH_MEMORY = 512 * 2**20  # estimate: more than a local embedding model needs


def has_timer() -> bool:
    return hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0


def read_descriptors() -> list[tuple[int, int] | None]:
    """Return what the standard descriptors are open on."""
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
    """Return the module of resource limits; None where the system has none."""
    with suppress(ImportError):
        import resource

        return resource
    return None


def read_limits() -> list[tuple[int, int]]:
    resource = resource_module()
    names = ("NOFILE", "FSIZE", "AS", "DATA", "STACK", "CPU", "CORE") if resource else ()
    return [resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names]


def read_blocked_signals() -> set[int]:
    return signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else set()


def restore_blocked_signals(before: set[int]) -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def read_memory() -> int:
    """Return the most memory that was in use so far, in bytes."""
    resource, unit = resource_module(), 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit if resource else 0


def describe_memory(before: int, now: int) -> str:
    return f"used {(now - before) // 2**20} MB of memory"


def read_priority() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0) if hasattr(os, "getpriority") else 0


def read_locale() -> str:
    return str(_locale.setlocale(_locale.LC_ALL))


def restore_locale(before: str) -> None:
    _locale.setlocale(_locale.LC_ALL, before)


def read_loop_policy() -> object:
    return getattr(asyncio.events, "_event_loop_policy", None)


def read_decimal_precision() -> int:
    """Return the precision of this context; what it is by default while nothing has imported the module."""
    module: Any = sys.modules.get("decimal")
    return int(module.getcontext().prec) if module else 28


def restore_arguments(before: list[str]) -> None:
    sys.argv[:] = before


def read_temporary_folder() -> str:
    """Return where temporary files are made; empty while nothing has imported the module."""
    module: Any = sys.modules.get("tempfile")
    return str(module.gettempdir()) if module else ""


def restore_temporary_folder(before: str) -> None:
    module: Any = sys.modules["tempfile"]
    module.tempdir = before


LASTING_PARTS = (  # what is not replaced while a call is watched
    *QUICK_PARTS[2:],
    Part("timer", has_timer, None, lambda *_: "set a timer that interrupts the process"),
    Part("which signals are blocked", read_blocked_signals, restore_blocked_signals),
    Part("the umask", read_umask, os.umask),
    Part("resource limits", read_limits),
    Part("memory", read_memory, None, describe_memory, lambda before, now: now - before > MUCH_MEMORY),
    Part("the priority of the process", read_priority),
    Part("the locale", read_locale, restore_locale),
    Part("the policy of event loops", read_loop_policy),
    Part("the precision of decimals", read_decimal_precision),
    Part("sys.argv", lambda: [*sys.argv], restore_arguments),
    Part(
        "the folder of temporary files",
        read_temporary_folder,
        restore_temporary_folder,
        has_changed=lambda before, now: before not in ("", now),
    ),
    Part("how modules are found", lambda: [*sys.path_hooks]),
)
ALL_PARTS = (
    *QUICK_PARTS[:2],
    Part("descriptors", read_descriptors, None, lambda *_: "closed or replaced a standard descriptor"),
    *LASTING_PARTS,
)
