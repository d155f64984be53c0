"""Find and read a project's own files at any depth of folders; unreadable ones count as empty."""

import os
import tomllib
from collections.abc import Callable, Iterator, Set
from itertools import islice
from pathlib import Path

SKIPPED_FOLDERS = {"node_modules", "venv", "site-packages", "target", "build", "dist", "vendor", "__pycache__"}
MAX_FILES = 20_000  # an estimate: a look at more takes longer than a linter


def walk(root: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what ``os.walk`` yields, each folder before those in it; skip names that the caller removes.

    Python 3.11 walks by recursion, which a thousand folders end.
    """
    pending = [str(root)]
    while pending:
        for place, folders, files in islice(os.walk(pending.pop()), 1):
            yield place, folders, files
            below = (os.path.join(place, name) for name in reversed(folders))  # noqa: PTH118  # a Path is slow
            pending += [path for path in below if not os.path.islink(path)]  # noqa: PTH114  # as above


def find_project_files(
    root: Path, wanted: Callable[[str], bool], skipped: Set[str] = SKIPPED_FOLDERS
) -> Iterator[Path]:
    """Yield the project's own files with a wanted name; look at only a limited number of files."""
    left = MAX_FILES
    for folder, folders, names in walk(root):
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names)[:left] if wanted(name))
        left -= len(names)
        if left <= 0:
            return


def read_source(path: Path) -> str:
    """Return the text of a file; empty if it is unreadable."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def read_toml(path: Path) -> dict[str, object]:
    """Return a TOML file's tables; none if it is missing or invalid."""
    try:
        return tomllib.loads(read_source(path))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
