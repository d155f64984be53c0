"""Read a project's files as far as they can be read. Knows no linter."""

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

PASSED_OVER = {"node_modules", "venv", "site-packages", "target", "build", "dist", "vendor", "__pycache__", "testdata"}
MOST_FILES = 20_000


def tools(root: Path) -> dict[str, object]:
    """The tool tables of pyproject.toml; none when it is missing or broken."""
    try:
        tables = tomllib.loads(source(root / "pyproject.toml")).get("tool")
    except tomllib.TOMLDecodeError:
        return {}
    return tables if isinstance(tables, dict) else {}


def source(path: Path) -> str:
    """The text of a file; empty when there is none to read."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def files(root: Path) -> Iterator[Path]:
    """The project's own files, up to a bound."""
    left = MOST_FILES
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER and not name.startswith("."))
        for name in sorted(names)[:left]:
            yield Path(folder, name)
        left -= len(names)
        if left <= 0:
            return
