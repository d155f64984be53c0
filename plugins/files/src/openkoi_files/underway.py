"""Which runs are being carried out now, by whichever process: a lock for each, held for as long. Knows one folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openkoi_hookspecs import KoiError

from .filelock import held_by_another, tried
from .private import private_folder


@contextmanager
def under_way(folder: Path, run: str) -> Iterator[None]:
    """Be the only one who carries a run out; raises KoiError where somebody does already."""
    path = folder / f"{run}.lock"
    file = opened(path)
    try:
        if not tried(file):
            raise KoiError(f"Task {run[:8]} is under way already. Wait for its end, or end it first.")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def opened(path: Path) -> int:
    """Open a run's lock; raises KoiError where nothing can be written, the run log neither."""
    try:
        private_folder(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        why = f"{error.strerror}. Make room, or mend it."
        raise KoiError(f"The run log cannot be written, nor {path.parent}: {why}") from None


def is_under_way(folder: Path, run: str) -> bool:
    """Whether some process carries the run out now."""
    path = folder / f"{run}.lock"
    return path.exists() and held_by_another(path)
