"""Find in a traceback where in the workspace something went wrong. Reads which files there are, nothing else."""

import re
from pathlib import Path

PYTHON = re.compile(
    r'File "(?P<a>[^"\n]+)", line (?P<b>\d+)|^(?P<c>(?![ \t>E])[^:\n]+\.pyi?):(?P<d>\d+):', re.MULTILINE
)
ANY = re.compile(
    r"(?<![^\s\"'`()\[\]<>|,])(?:file://)?(?P<c>(?:[A-Za-z]:)?[^\s:\"'`()\[\]<>|,]{1,400}\.\w{1,12}):(?P<d>\d+)"
)
FOREIGN = {".venv", "venv", "site-packages", "node_modules", ".tox", ".nox", ".git", "vendor"}


def places(text: str, root: Path, pattern: re.Pattern[str] = ANY) -> list[str]:
    """Every ``path:line`` in the text that is a file of the workspace's own, in order."""
    found = []
    for match in pattern.finditer(text):
        said = match.groupdict()
        path = own(said["c"] or said.get("a") or "", root)
        if path:
            found.append(f"{path}:{said['d'] or said.get('b')}")
    return found


def deepest(text: str, root: Path) -> str:
    """The workspace's last line in a Python traceback: the one nearest to the failure."""
    return next(reversed(places(text, root, PYTHON)), "")


def first(text: str, root: Path) -> str:
    """The first place of the workspace in the text, as other languages print them; empty if there is none."""
    return next(iter(places(text, root)), "")


def own(name: str, root: Path) -> str:
    """Return the path relative to the workspace, or an empty string for a file that is not the project's own."""
    base = root.resolve()
    try:
        path = (base / name).resolve()
        if not path.is_relative_to(base) or FOREIGN.intersection(path.relative_to(base).parts):
            return ""
        return path.relative_to(base).as_posix() if path.is_file() else ""
    except (OSError, ValueError):  # no path at all: too long, or with a zero in it
        return ""
