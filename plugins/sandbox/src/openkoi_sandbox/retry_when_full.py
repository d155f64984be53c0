"""Retry briefly when the system cannot start another process or thread."""

import errno
import time
from collections.abc import Callable
from typing import TypeVar

from openkoi_hookspecs import KoiError

T = TypeVar("T")
MAX_WAIT_SECONDS = 3.0
PAUSE_SECONDS = 0.05
SYSTEM_FULL = (
    "The command was not run: the system cannot start another process or thread."
    " Stop some processes, or raise the limit, and try again."
)


def retry_when_full(start: Callable[[], T], timeout: float = MAX_WAIT_SECONDS) -> T:
    """Start something; while the system is full, retry until the time is over."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            return start()
        except (OSError, RuntimeError) as error:
            if not is_system_full(error):
                raise
            if time.monotonic() > deadline:
                raise KoiError(SYSTEM_FULL) from error
        time.sleep(PAUSE_SECONDS)


def is_system_full(error: OSError | RuntimeError) -> bool:
    """Return whether the system was full; for threads, Python reports that only in the message."""
    if isinstance(error, OSError):
        return error.errno == errno.EAGAIN
    return "new thread" in str(error)
