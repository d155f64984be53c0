"""Lock the store, and report a failure to lock as an error of the store."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from openkoi_base.files.filelock import lock_file, try_lock_file

from .errors import store_errors


@contextmanager
def lock_store(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock file of the store."""
    with ExitStack() as stack:
        with store_errors(path.parent):
            stack.enter_context(lock_file(path, shared=shared))
        yield


@contextmanager
def try_lock_store(path: Path) -> Iterator[bool]:
    """Hold a lock file of the store if it is free; yield whether it was."""
    with ExitStack() as stack:
        with store_errors(path.parent):
            alone = stack.enter_context(try_lock_file(path))
        yield alone
