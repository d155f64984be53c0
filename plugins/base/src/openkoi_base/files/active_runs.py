"""Track which runs are active in any process, by a lock for each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openkoi_hookspecs import KoiError

from .filelock import is_locked, try_lock
from .private_files import private_folder


@contextmanager
def lock_run(folder: Path, run: str) -> Iterator[None]:
    """Mark a run as active; raise KoiError where another process runs it already."""
    path = folder / f"{run}.lock"
    file = open_run_lock(path)
    try:
        if not try_lock(file):
            raise KoiError(f"Task {run[:8]} is already running. Wait for it to finish, or stop it first.")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def open_run_lock(path: Path) -> int:
    """Open a run's lock; raise KoiError where nothing can be written, including the run log."""
    try:
        private_folder(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        why = f"{error.strerror}. Free some space, or fix the folder's permissions."
        raise KoiError(f"Cannot write the run log or {path.parent}: {why}") from None


def is_run_active(folder: Path, run: str) -> bool:
    """Return whether some process carries the run out now."""
    path = folder / f"{run}.lock"
    return path.exists() and is_locked(path)
