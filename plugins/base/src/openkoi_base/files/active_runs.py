"""Track which runs are active in any process, by a lock for each."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from openkoi_hookspecs import KoiError

from .filelock import is_locked, try_lock
from .private_files import private_folder

STALE_SECONDS = 10.0  # a lock file is locked at once when it is made, so that one this old belongs to no new run


@contextmanager
def lock_run(folder: Path, run: str) -> Iterator[None]:
    """Mark a run as active; raise KoiError if another process is already running it."""
    path = folder / f"{run}.lock"
    file = open_run_lock(path)
    try:
        while (is_free := try_lock(file)) and not is_file_at(path, file):  # another process has just removed it
            os.close(file)
            file = open_run_lock(path)
        if not is_free:
            raise KoiError(f"Task {run[:8]} is already running. Wait for it to finish, or stop it first.")
        try:
            remove_stale_locks(folder)
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def open_run_lock(path: Path) -> int:
    """Open a run's lock; raise KoiError if nothing can be written there, including the run log."""
    try:
        private_folder(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        from .write_errors import describe_write_error

        raise KoiError(
            f"Cannot write to {path.parent}, so the task cannot run: {describe_write_error(error)}."
        ) from None


def is_file_at(path: Path, file: int) -> bool:
    """Return whether an open file is still the one at a path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def remove_stale_locks(folder: Path) -> None:
    """Remove the locks in a folder that killed processes left behind."""
    for path in folder.glob("*.lock"):
        with suppress(OSError):
            file = os.open(path, os.O_RDWR)
            try:
                if time.time() - os.fstat(file).st_mtime > STALE_SECONDS and try_lock(file):
                    path.unlink()
            finally:
                os.close(file)


def is_run_active(folder: Path, run: str) -> bool:
    """Return whether a process is executing the run."""
    path = folder / f"{run}.lock"
    return path.exists() and is_locked(path)
