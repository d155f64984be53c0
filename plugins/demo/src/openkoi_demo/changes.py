"""What is different between the project as it was and as it is now. Knows files; knows no terminal."""

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

SUFFIXES = {".py", ".md", ".toml"}


def changes(before: Path, after: Path) -> list[str]:
    """Return the lines of a unified diff over all files of the project."""
    names = sorted(set(files(before)) | set(files(after)))
    return [line for name in names for line in changed(name, lines(before / name), lines(after / name))]


def files(root: Path) -> Iterator[str]:
    """Name the project's own files, hidden ones and caches left out."""
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if path.suffix in SUFFIXES and path.is_file() and not any(part.startswith(".") for part in name.parts):
            yield name.as_posix()


def changed(name: str, before: list[str], after: list[str]) -> Iterator[str]:
    """Compare one file."""
    return unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm="")


def lines(path: Path) -> list[str]:
    """Read a file's lines; one that is not there has none."""
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
