"""One process at a time: the door to the operating system's file lock.

Where there is no ``fcntl`` nothing is locked here: DuckDB itself refuses a second process, and is asked again.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import IO

PAUSE = 0.01


@contextmanager
def held(path: Path, seconds: float) -> Iterator[bool]:
    """Hold the lock file; yields False when another process kept it for that long."""
    with path.open("a") as file:
        yield within(seconds, file)


def within(seconds: float, file: IO[str]) -> bool:
    """Try again until the time is up. Closing the file lets go."""
    deadline = monotonic() + seconds
    while not taken(file):
        if monotonic() >= deadline:
            return False
        sleep(PAUSE)
    return True


def taken(file: IO[str]) -> bool:
    """Take the lock if it is free."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
