"""Digest what decides how git behaves in a repository: settings and hooks.

Run no git. As with refs, undo never changes them; the user is shown what a command did to them.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from .git_refs import find_git_folder, read_refs, shared_git_folder

SETTINGS = ("config", "info/attributes", "info/exclude")
MAX_SETTING_BYTES = 1_000_000


def read_repository_state(root: Path) -> dict[str, str]:
    """Return the refs, settings and hooks of the repository around a folder; empty where there is none."""
    git = find_git_folder(root)
    return {**read_refs(root), **dict(digest_settings(shared_git_folder(git)))} if git else {}


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
    """Return a file's content; empty where it cannot be read."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= MAX_SETTING_BYTES else b""
    except OSError:
        return b""
