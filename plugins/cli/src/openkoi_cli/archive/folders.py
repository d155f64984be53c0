"""Create a private folder that appears complete or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

from openkoi_base.files import describe_write_error, private_folder, sync_folder
from openkoi_base.files.filelock import HAS_LOCKS, is_locked, lock_open_file
from openkoi_hookspecs import KoiError


@contextmanager
def create_folder(target: Path) -> Iterator[Path]:
    """Yield a folder to fill, which replaces the target at the end; raise KoiError if the target is in use."""
    target = target.absolute()
    try:
        raise_if_taken(target)
        private_folder(target.parent)
        remove_leftovers(target)
        with open_part(target) as fresh:
            yield fresh
            for folder in (fresh, *(path for path in fresh.rglob("*") if path.is_dir())):
                sync_folder(folder)
            if target.exists():
                target.rmdir()
            fresh.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise KoiError(f"Cannot write {target}: {describe_write_error(error)}.") from error


@contextmanager
def open_part(target: Path) -> Iterator[Path]:
    """Yield a new folder next to the target, locked while it is filled and removed on errors."""
    fresh = Path(mkdtemp(prefix=part_prefix(target), dir=target.parent))
    try:
        with lock_folder(fresh):
            yield fresh
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder, if the platform supports locks."""
    if not HAS_LOCKS:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        lock_open_file(opened)
        yield
    finally:
        os.close(opened)


def remove_leftovers(target: Path) -> None:
    """Remove the unfinished folders of killed exports, if the platform supports locks."""
    for path in target.parent.iterdir():
        left = path.name.startswith(part_prefix(target)) and path.is_dir() and not path.is_symlink()
        if left and HAS_LOCKS and not is_locked(path):
            shutil.rmtree(path, ignore_errors=True)


def part_prefix(target: Path) -> str:
    """Return the prefix of the names of unfinished folders."""
    return f".{target.name}.part-"


def raise_if_taken(target: Path) -> None:
    """Raise KoiError if the folder cannot be created."""
    if not is_vacant(target):
        raise KoiError(f"{target} already exists and is not an empty folder. Use another one.")
    above = next(path for path in target.parents if path.exists())
    if not above.is_dir():
        raise KoiError(f"Cannot write {target}: {above} is not a folder. Use another path.")


def is_vacant(target: Path) -> bool:
    """Return whether a folder can be created at a path."""
    if not target.exists() and not target.is_symlink():
        return True
    return target.is_dir() and not target.is_symlink() and not any(target.iterdir())


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file that only the user can read; sync it when closed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def write_file(path: Path, text: str) -> None:
    """Write a text to a new private file."""
    with private_file(path) as file:
        file.write(text.encode("utf-8", "surrogateescape"))
