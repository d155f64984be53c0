"""A folder that appears whole or not at all, private to its user. Knows files; knows no log."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

from openkoi_base.files import private_folder, sync_folder
from openkoi_base.files.filelock import HAS_LOCKS, is_locked, lock_open_file
from openkoi_hookspecs import KoiError


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which takes the target's place at the end; raises KoiError when that is taken already."""
    target = target.absolute()
    try:
        refuse_taken(target)
        private_folder(target.parent)
        clear_away(target)
        with part_of(target) as fresh:
            yield fresh
            for folder in (fresh, *(path for path in fresh.rglob("*") if path.is_dir())):
                sync_folder(folder)
            if target.exists():
                target.rmdir()
            fresh.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise KoiError(f"{target} cannot be written: {error.strerror or error}. Make room or give access.") from error


@contextmanager
def part_of(target: Path) -> Iterator[Path]:
    """A new folder beside the target, locked for as long as it is filled; gone when that comes to nothing."""
    fresh = Path(mkdtemp(prefix=prefix_of(target), dir=target.parent))
    try:
        with lock_folder(fresh):
            yield fresh
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder, where there are locks."""
    if not HAS_LOCKS:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        lock_open_file(opened)
        yield
    finally:
        os.close(opened)


def clear_away(target: Path) -> None:
    """Remove what was left beside the target by those who were killed. Where there are no locks, it stays."""
    for path in target.parent.iterdir():
        left = path.name.startswith(prefix_of(target)) and path.is_dir() and not path.is_symlink()
        if left and HAS_LOCKS and not is_locked(path):
            shutil.rmtree(path, ignore_errors=True)


def prefix_of(target: Path) -> str:
    """What the names of its parts begin with."""
    return f".{target.name}.part-"


def refuse_taken(target: Path) -> None:
    """Raise KoiError where no folder can be put."""
    if not vacant(target):
        raise KoiError(f"{target} already exists and is not an empty folder. Use another one.")
    above = next(path for path in target.parents if path.exists())
    if not above.is_dir():
        raise KoiError(f"{target} cannot be written: {above} is not a folder. Use another path.")


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
