"""Lock files between threads and processes. A lock ends with the process that holds it.

A file with content of its own is locked by ``lock_open_file``, where the system keeps such locks apart from reading
(``HAS_LOCKS``: POSIX). A file that is there to be locked, by ``lock_file``, everywhere.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_SECONDS = 0.05
if sys.platform == "win32":
    import msvcrt

    HAS_LOCKS = False

    def try_lock_region(file: int) -> bool:
        """Take the lock of the first byte if it is free."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    HAS_LOCKS = True


def lock_open_file(file: int) -> None:
    """Lock an open file for as long as it is open."""
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX)


def try_lock(file: int, *, shared: bool = False) -> bool:
    """Lock an open file for as long as it is open, if it is not locked."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def is_locked(path: Path) -> bool:
    """Return whether a process has locked the file."""
    file = os.open(path, os.O_RDONLY)
    try:
        return not try_lock(file)
    finally:
        os.close(file)


@contextmanager
def lock_file(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a lock file. On POSIX, shared locks do not wait for each other."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            while not try_lock_region(file):
                time.sleep(POLL_SECONDS)
        else:
            fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


@contextmanager
def try_lock_file(path: Path) -> Iterator[bool]:
    """Hold the lock of a lock file if it is free; yield whether it was."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            yield try_lock_region(file)
        else:
            yield try_lock(file)
    finally:
        os.close(file)


@contextmanager
def lock_beside(path: Path) -> Iterator[None]:
    """Prevent other processes from changing a file in the block, with a lock file next to it."""
    with lock_file(path.with_name(f".{path.name}.lock")):
        yield
