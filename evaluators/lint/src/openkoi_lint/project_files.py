"""Read a project's files, as far as they are readable."""

import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

SKIPPED_FOLDERS = {
    "node_modules",
    "venv",
    "site-packages",
    "target",
    "build",
    "dist",
    "vendor",
    "__pycache__",
    "testdata",
}
MAX_FILES = 20_000


def read_tool_tables(root: Path) -> dict[str, object]:
    """Return the tool tables of pyproject.toml, or none when it is missing or invalid."""
    try:
        tables = tomllib.loads(read_text(root / "pyproject.toml")).get("tool")
    except tomllib.TOMLDecodeError:
        return {}
    return tables if isinstance(tables, dict) else {}


def read_text(path: Path) -> str:
    """Return a file's text, or an empty string."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def project_files(root: Path, wanted: Callable[[str], bool]) -> Iterator[Path]:
    """Yield those of the project's own files that have a wanted name; look at no more than a limit."""
    left = MAX_FILES
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names)[:left] if wanted(name))
        left -= len(names)
        if left <= 0:
            return
