"""Files and folders that only their owner reads, written whole or not at all."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from .errors import StoreFault


@contextlib.contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Say in a sentence that the store cannot be written."""
    try:
        yield
    except OSError as error:
        raise StoreFault(
            f"Checkpoints cannot be kept in {folder}: {error.strerror}. Make room or make it writable."
        ) from error


def write_whole(path: Path, data: bytes, *, mode: int = 0o600, temporary: str = ".new-", sync: bool = False) -> None:
    """Write beside the place, then rename into it: whoever reads sees all of it or what was there before."""
    beside = path.with_name(f"{temporary}{secrets.token_hex(6)}")
    try:
        write_new(beside, data, mode, sync)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_new(path: Path, data: bytes, mode: int, sync: bool) -> None:
    """Write a file that must not exist yet."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    if mode != 0o600:
        path.chmod(mode)
