"""The one door to file locks. POSIX has them; elsewhere nothing is locked, and ``LOCKS`` says so."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl

    LOCKS = True
except ImportError:  # Windows: segments are still made exclusively; only "is the writer alive" cannot be told
    LOCKS = False


def hold(file: int) -> None:
    """Lock an open file for as long as it is open."""
    if LOCKS:
        fcntl.flock(file, fcntl.LOCK_EX)


def tried(file: int) -> bool:
    """Lock an open file for as long as it is open, if nobody else has."""
    if LOCKS:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def held_by_another(path: Path) -> bool:
    """Whether some process holds the file's lock."""
    if not LOCKS:
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
def locked(path: Path) -> Iterator[None]:
    """Let nobody else change a file meanwhile, by a lock file that lies beside it."""
    file = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        hold(file)
        yield
    finally:
        os.close(file)
