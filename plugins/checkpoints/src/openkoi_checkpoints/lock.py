"""One process at a time: the door to the file locks of the platform."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .private import writable


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of this file; threads and processes wait for each other. It ends with the process, too."""
    with writable(path.parent):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        acquire(handle)
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def acquire(handle: int) -> None:
        """Wait for the lock by trying again and again."""
        while True:
            with contextlib.suppress(OSError):
                return msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            time.sleep(0.05)

else:
    import fcntl

    def acquire(handle: int) -> None:
        """Wait for the lock."""
        fcntl.flock(handle, fcntl.LOCK_EX)
