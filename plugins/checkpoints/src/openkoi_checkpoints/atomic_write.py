"""Write files that only their owner can read, atomically."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from .errors import CheckpointStoreError


@contextlib.contextmanager
def store_errors(folder: Path) -> Iterator[None]:
    """Raise CheckpointStoreError when the store cannot be written."""
    try:
        yield
    except OSError as error:
        raise CheckpointStoreError(
            f"Cannot write checkpoints in {folder}: {error.strerror}. Free some space or make it writable."
        ) from error


def write_atomically(
    path: Path, data: bytes, *, mode: int = 0o600, temporary: str = ".new-", sync: bool = False
) -> None:
    """Write a temporary file, then rename it: readers see all of it or the previous content."""
    beside = path.with_name(f"{temporary}{secrets.token_hex(6)}")
    try:
        write_new_file(beside, data, mode, sync)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_new_file(path: Path, data: bytes, mode: int, sync: bool) -> None:
    """Write a file that must not exist yet."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    if mode != 0o600:
        path.chmod(mode)
