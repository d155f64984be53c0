"""Folders that are passed over, seen from outside: whether a command changed something in one. Knows no checkpoint."""

import os
import stat
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from .ignored import folders_above
from .survey import Rules, is_cache

Look: TypeAlias = tuple[int, ...]

MOST = 20_000
QUIET = frozenset((".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"))


def look_inside(root: Path, folder: str, named: Container[str]) -> Look:
    """What changes when a file in it does, but for those that a tool named; of very many only the first tell."""
    count = newest = total = 0
    cut = len(str(root)) + 1
    for place, _, files in os.walk(root / folder):
        for file in files:
            path = os.path.join(place, file)  # noqa: PTH118  # a Path for each of many is slow
            if path[cut:].replace(os.sep, "/") in named:
                continue
            with suppress(OSError):
                status = os.lstat(path)
                count, total = count + 1, total + status.st_size
                newest = max(newest, status.st_ctime_ns, status.st_mtime_ns)
        if count > MOST:
            break
    return stat.S_IFDIR, count, total, newest


def told_of(root: Path, paths: Iterable[str], rules: Rules, named: Container[str]) -> list[str]:
    """The folders that are passed over in which these paths are, or which they are; what tools named is kept."""
    caches: dict[str, bool] = {}
    found: set[str] = set()
    for path in paths:
        if path in named:
            continue
        if path.rpartition("/")[2] in rules.skip:
            found.add(path)
        for above in (one for one in folders_above(path) if one):
            if above not in caches:
                caches[above] = is_cache(str(root / above))
            found.update([above] if caches[above] else [])
    return sorted(found)
