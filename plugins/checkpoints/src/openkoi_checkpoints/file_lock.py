"""Lock files between threads and processes."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .atomic_write import store_errors


@contextlib.contextmanager
def lock_file(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of this file; threads and processes wait for each other.

    The lock ends with the process. Shared locks do not wait for each other, where the platform supports sharing.
    """
    handle = open_lock_file(path)
    try:
        acquire(handle, shared)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def try_lock_file(path: Path) -> Iterator[bool]:
    """Hold the lock exclusively if it is free; yield whether it was."""
    handle = open_lock_file(path)
    try:
        yield try_acquire(handle)
    finally:
        os.close(handle)


def open_lock_file(path: Path) -> int:
    """Open the file that the lock is on."""
    with store_errors(path.parent):
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


if sys.platform == "win32":
    import msvcrt

    def acquire(handle: int, shared: bool) -> None:
        """Wait for the lock by trying again and again; it cannot be shared here."""
        while not try_acquire(handle):
            time.sleep(0.05)

    def try_acquire(handle: int) -> bool:
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

    def try_acquire(handle: int) -> bool:
        """Take the lock if it is free."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
