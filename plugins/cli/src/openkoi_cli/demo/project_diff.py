"""Diff the demo project before and after the run."""

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

DIFFED_SUFFIXES = {".py", ".md", ".toml"}


def diff_projects(before: Path, after: Path) -> list[str]:
    """Return the lines of a unified diff over all files of the project."""
    names = sorted(set(project_files(before)) | set(project_files(after)))
    return [line for name in names for line in diff_file(name, read_lines(before / name), read_lines(after / name))]


def project_files(root: Path) -> Iterator[str]:
    """Yield the project's own files, without hidden ones and caches."""
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if path.suffix in DIFFED_SUFFIXES and path.is_file() and not any(part.startswith(".") for part in name.parts):
            yield name.as_posix()


def diff_file(name: str, before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the diff of one file."""
    return unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm="")


def read_lines(path: Path) -> list[str]:
    """Return a file's lines; a missing one has none."""
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
