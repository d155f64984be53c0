"""A folder that appears whole or not at all, private to its user. Knows files; knows no log."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from openkoi_files import private_folder
from openkoi_hookspecs import KoiError
from openkoi_log.runlog import sync_folder


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which takes the target's place at the end; raises KoiError when that is taken already."""
    target = target.absolute()
    if not vacant(target):
        raise KoiError(f"{target} is there already, and not empty. Name another folder.")
    fresh = target.with_name(f".{target.name}.part-{os.getpid()}")
    try:
        private_folder(target.parent)
        fresh.mkdir(mode=0o700)
        yield fresh
        for folder in (fresh, *(path for path in fresh.rglob("*") if path.is_dir())):
            sync_folder(folder)
        if target.exists():
            target.rmdir()
        fresh.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise KoiError(f"{target} cannot be written: {error.strerror or error}. Make room or give access.") from error
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def vacant(target: Path) -> bool:
    """Whether a folder can be put there."""
    if not target.exists() and not target.is_symlink():
        return True
    return target.is_dir() and not target.is_symlink() and not any(target.iterdir())


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file for its user alone, on the disk when this is left."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def put(path: Path, text: str) -> None:
    """Write a text into a new private file."""
    with private_file(path) as file:
        file.write(text.encode("utf-8", "surrogateescape"))
