"""Wait a moment when the system has no room for another process or thread: somebody else may be about to give some up.

Knows no command and no cage.
"""

import errno
import time
from collections.abc import Callable
from typing import TypeVar

from openkoi_hookspecs import KoiError

T = TypeVar("T")
PATIENCE = 3.0
PAUSE = 0.05
FULL = (
    "The command was not run: the system has no room for another process or thread."
    " End some, or raise its limit, and try again."
)


def patiently(start: Callable[[], T], patience: float = PATIENCE) -> T:
    """Start something; when there is no room try again, until our patience is over."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return start()
        except (OSError, RuntimeError) as error:
            if not is_full(error):
                raise
            if time.monotonic() > deadline:
                raise KoiError(FULL) from error
        time.sleep(PAUSE)


def is_full(error: OSError | RuntimeError) -> bool:
    """Whether there was no room; Python tells of a thread in words only."""
    if isinstance(error, OSError):
        return error.errno == errno.EAGAIN
    return "new thread" in str(error)
