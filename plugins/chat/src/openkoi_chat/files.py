"""List the files of a folder for ``@``, as git lists them."""

import os
from collections.abc import Sequence
from pathlib import Path

from .cli_commands import run_program

MAX_FILES = 20_000
SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache"})


async def list_files(folder: Path, here: Path) -> Sequence[str]:
    """Return the files of a folder by their path from the current one, nearer ones first."""
    files = await list_project_files(folder)
    if here == folder or not here.is_relative_to(folder):
        return files
    return sorted((path_from(here, folder / name) for name in files), key=lambda name: name.startswith(".."))


def path_from(here: Path, path: Path) -> str:
    """Return a path from a folder, which need not contain it."""
    return os.path.relpath(path, here)


async def list_project_files(folder: Path) -> Sequence[str]:
    """Return the files that git does not ignore; without git, all files except those in folders that tools create."""
    try:
        listed = await run_program(["git", "ls-files", "-coz", "--exclude-standard"], folder)
    except OSError:
        return walk_files(folder)
    return listed.text.split("\0")[:-1][:MAX_FILES] if listed.status == 0 else walk_files(folder)


def walk_files(folder: Path) -> Sequence[str]:
    """Return the files below a folder, by their path from it."""
    found: list[str] = []
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        found += [os.path.relpath(os.path.join(path, name), folder) for name in sorted(files)]  # noqa: PTH118  # fast
        if len(found) >= MAX_FILES:
            break
    return found[:MAX_FILES]
