"""Lock the memory file: one writer at a time, or many readers; and how long to wait for it.

Where there is no ``fcntl`` nothing is locked here: DuckDB itself refuses a second process, so opening is retried.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from openkoi_base.files.filelock import try_lock
from openkoi_search.lock_timeout import LockTimeout

__all__ = ["LockTimeout", "hold_lock"]


@contextmanager
def hold_lock(path: Path, timeout: LockTimeout, *, shared: bool = False) -> Iterator[bool]:
    """Hold the lock file, shared or exclusively; yield False when others kept it for too long."""
    with path.open("a") as file:
        yield acquire_lock(timeout, file, shared)


def acquire_lock(timeout: LockTimeout, file: IO[str], shared: bool) -> bool:
    """Retry until the timeout. Closing the file releases the lock."""
    while not try_lock(file.fileno(), shared=shared):
        if not timeout.lasts():
            return False
    return True
