"""Find and read a project's own files, as far as they are readable."""

import tomllib
from collections.abc import Callable, Iterator, Set
from pathlib import Path

from .folder_walk import walk

SKIPPED_FOLDERS = {"node_modules", "venv", "site-packages", "target", "build", "dist", "vendor", "__pycache__"}
MAX_FILES = 20_000  # an estimate: a look at more takes longer than a linter


def find_project_files(
    root: Path, wanted: Callable[[str], bool], skipped: Set[str] = SKIPPED_FOLDERS
) -> Iterator[Path]:
    """Yield those of the project's own files that have a wanted name; look at no more than a limit."""
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
