"""Find the location of a failure in the workspace from a traceback."""

import re
from pathlib import Path

from openkoi_hookspecs.lazy_pattern import lazy_pattern

PYTHON = lazy_pattern(
    r'File "(?P<a>[^"\n]+)", line (?P<b>\d+)|^(?P<c>(?![ \t>E])[^:\n]+\.pyi?):(?P<d>\d+):', re.MULTILINE
)
ANY = lazy_pattern(
    r"(?<![^\s\"'`()\[\]<>|,])(?:file://)?(?P<c>(?:[A-Za-z]:)?[^\s:\"'`()\[\]<>|,]{1,400}\.\w{1,12}):(?P<d>\d+)"
)
FOREIGN = {".venv", "venv", "site-packages", "node_modules", ".tox", ".nox", ".git", "vendor"}


def find_locations(text: str, root: Path, pattern: re.Pattern[str] = ANY) -> list[str]:
    """Return every ``path:line`` in the text that is one of the workspace's own files, in order."""
    found = []
    for match in pattern.finditer(text):
        groups = match.groupdict()
        path = workspace_path(groups["c"] or groups.get("a") or "", root)
        if path:
            found.append(f"{path}:{groups['d'] or groups.get('b')}")
    return found


def deepest_location(text: str, root: Path) -> str:
    """Return the workspace's last line in a Python traceback: the one nearest to the failure."""
    return next(reversed(find_locations(text, root, PYTHON)), "")


def first_location(text: str, root: Path) -> str:
    """Return the first location of the workspace in the text, as other languages print them; empty if there is none."""
    return next(iter(find_locations(text, root)), "")


def workspace_path(name: str, root: Path) -> str:
    """Return the path relative to the workspace, or an empty string for a file that is not the project's own."""
    base = root.resolve()
    try:
        path = (base / name).resolve()
        if not path.is_relative_to(base) or FOREIGN.intersection(path.relative_to(base).parts):
            return ""
        return path.relative_to(base).as_posix() if path.is_file() else ""
    except (OSError, ValueError):  # not a path: too long, or with a null byte
        return ""
