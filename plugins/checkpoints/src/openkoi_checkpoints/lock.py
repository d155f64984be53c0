"""Who may go in beside whom: the door to the file locks of the platform."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .private import writable


@contextlib.contextmanager
def locked(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of this file; threads and processes wait for each other. It ends with the process, too.

    Those that share it do not wait for each other, where the platform knows how to share.
    """
    handle = opened(path)
    try:
        acquire(handle, shared)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked_at_once(path: Path) -> Iterator[bool]:
    """Hold the lock alone, if nobody else holds it; tells whether that is so."""
    handle = opened(path)
    try:
        yield tried(handle)
    finally:
        os.close(handle)


def opened(path: Path) -> int:
    """Open the file that the lock is on."""
    with writable(path.parent):
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


if sys.platform == "win32":
    import msvcrt

    def acquire(handle: int, shared: bool) -> None:
        """Wait for the lock by trying again and again; it cannot be shared here."""
        while not tried(handle):
            time.sleep(0.05)

    def tried(handle: int) -> bool:
        """Take the lock if it is free."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def acquire(handle: int, shared: bool) -> None:
        """Wait for the lock."""
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)

    def tried(handle: int) -> bool:
        """Take the lock if it is free."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
