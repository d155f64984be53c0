"""Lock files. POSIX supports it; elsewhere nothing is locked, and ``LOCKS`` is false."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl

    HAS_LOCKS = True
except ImportError:  # Windows: segments are still made exclusively; only "is the writer alive" cannot be told
    HAS_LOCKS = False


def lock_open_file(file: int) -> None:
    """Lock an open file as long as it is open."""
    if HAS_LOCKS:
        fcntl.flock(file, fcntl.LOCK_EX)


def try_lock(file: int) -> bool:
    """Lock an open file as long as it is open, if it is free."""
    if HAS_LOCKS:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def is_locked(path: Path) -> bool:
    """Return whether some process has the file's lock."""
    if not HAS_LOCKS:
        return False
    file = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


@contextmanager
def lock_beside(path: Path) -> Iterator[None]:
    """Keep others from changing a file meanwhile, by a lock file beside it."""
    file = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        lock_open_file(file)
        yield
    finally:
        os.close(file)
