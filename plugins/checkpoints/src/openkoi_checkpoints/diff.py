"""Compute the unified diff between two states of a workspace, such as a checkpoint and the files as they are now."""

import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .errors import CheckpointStoreError
from .manifest import NO_FILE, PathEntry, PathKind, is_unchanged
from .patch import LINK_MODE, FileVersion, file_patch
from .scan import read_regular_file

DIFFED_KINDS = (PathKind.FILE, PathKind.LARGE, PathKind.LINK, PathKind.UNREADABLE)

Reader: TypeAlias = Callable[[PathEntry], bytes]


@dataclass(frozen=True, slots=True)
class ContentReaders:
    """Read a file's content then and now; a single reader reads both."""

    then: Reader
    now: Reader | None = None


def diff_entries(then: Mapping[str, PathEntry], now: Mapping[str, PathEntry], read: ContentReaders) -> str:
    """Return the diff from then to now, one patch for each changed path."""
    changed = [path for path in sorted({*then, *now}) if not is_unchanged(then.get(path), now.get(path))]
    return "".join(
        file_patch(path, file_version(then.get(path), read.then), file_version(now.get(path), read.now or read.then))
        for path in changed
    )


def disk_reader(root: Path) -> Reader:
    """Return a function that reads files from the disk."""
    return lambda entry: read_regular_file(root / entry.path, entry.size)[1]


def file_version(entry: PathEntry | None, read: Reader) -> FileVersion | None:
    """Return a path's state for a diff; None for folders, and for ignored or missing files."""
    if entry is None or entry.kind not in DIFFED_KINDS or entry.size == NO_FILE:
        return None
    if entry.target:
        return FileVersion(LINK_MODE, entry.target.encode("utf-8", "surrogateescape"))
    mode = "100755" if entry.mode & stat.S_IXUSR else "100644"
    try:
        return FileVersion(mode, read(entry) if entry.is_in_store else None)
    except (OSError, CheckpointStoreError):
        return FileVersion(mode, None)
