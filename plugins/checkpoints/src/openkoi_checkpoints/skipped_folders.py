"""Detect whether a command changed something in a skipped folder, by the status of its files."""

import os
import stat
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from openkoi_base.files import walk

from .gitignore import parent_folders
from .scan import ScanRules, is_cache_folder

Look: TypeAlias = tuple[int, ...]

MAX_WALKED_FILES = 20_000
UNREPORTED_FOLDERS = frozenset(
    (".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")
)


def walk_status(root: Path, folder: str, named: Container[str]) -> Look:
    """Return a status that changes when a file in the folder does, except named files; counts stop at a limit."""
    count = newest = total = 0
    cut = len(str(root)) + 1
    for place, _, files in walk(root / folder):
        for file in files:
            path = os.path.join(place, file)  # noqa: PTH118  # a Path for each of many is slow
            if path[cut:].replace(os.sep, "/") in named:
                continue
            with suppress(OSError):
                status = os.lstat(path)
                count, total = count + 1, total + status.st_size
                newest = max(newest, status.st_ctime_ns, status.st_mtime_ns)
        if count > MAX_WALKED_FILES:
            break
    return stat.S_IFDIR, count, total, newest


def skipped_folders_of(root: Path, paths: Iterable[str], rules: ScanRules, named: Container[str]) -> list[str]:
    """Return the skipped folders that contain or are these paths; paths that tools named are excluded."""
    caches: dict[str, bool] = {}
    found: set[str] = set()
    for path in paths:
        if path in named:
            continue
        if path.rpartition("/")[2] in rules.skip:
            found.add(path)
        for above in (one for one in parent_folders(path) if one):
            if above not in caches:
                caches[above] = is_cache_folder(str(root / above))
            found.update([above] if caches[above] else [])
    return sorted(found)
