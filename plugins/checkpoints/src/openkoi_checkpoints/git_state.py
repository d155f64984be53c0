"""Compute a digest of what determines git's behaviour in a repository: settings and hooks.

Run no git. As with refs, undo never changes them; the user is shown what a command did to them.
"""

import os
from collections.abc import Container, Iterator
from contextlib import suppress
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from openkoi_base.files import walk

from .git_refs import find_git_folder, read_refs, shared_git_folder

SETTINGS = ("config", "info/attributes", "info/exclude")
MAX_SETTING_BYTES = 1_000_000
MAX_NESTED = 50  # repositories below a workspace; reading one takes about as long as a file's diff


def read_repository_state(root: Path) -> dict[str, str]:
    """Return the refs, settings and hooks of the repository around a folder; empty if there is none."""
    git = find_git_folder(root)
    return {**read_refs(root), **dict(digest_settings(shared_git_folder(git)))} if git else {}


def read_all_states(root: Path, skip: Container[str]) -> dict[str, dict[str, str]]:
    """Return the states of the repository around a folder, under an empty path, and of those in it, by path."""
    nested = islice(find_nested_repositories(root, skip), MAX_NESTED)
    return {"": read_repository_state(root), **{path: read_repository_state(root / path) for path in nested}}


def find_nested_repositories(root: Path, skip: Container[str]) -> Iterator[str]:
    """Yield the paths of folders below the workspace that have a ``.git`` of their own."""
    for place, folders, files in walk(root):
        if ".git" in (*folders, *files) and place != str(root):
            yield Path(place).relative_to(root).as_posix()
        folders[:] = sorted(folder for folder in folders if folder not in skip)


def digest_settings(git: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest of each settings file, and of each hook except the samples."""
    for name in (*SETTINGS, *list_hooks(git)):
        if held := read_content(git / name):
            yield name, blake2b(held, digest_size=16).hexdigest()


def list_hooks(git: Path) -> Iterator[str]:
    """Yield the files that git may run."""
    with suppress(OSError), os.scandir(git / "hooks") as found:
        yield from (f"hooks/{one.name}" for one in found if not one.name.endswith(".sample"))


def read_content(path: Path) -> bytes:
    """Return a file's content; empty if it cannot be read."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= MAX_SETTING_BYTES else b""
    except OSError:
        return b""
