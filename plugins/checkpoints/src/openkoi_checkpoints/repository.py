"""What decides how git behaves in a repository: its settings and hooks, each by a digest of what is in it. Runs no git.

As with its names, undo never touches them; a person is told what a command did to them.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from .refs import git_folder, refs_of, shared

SETTINGS = ("config", "info/attributes", "info/exclude")
LARGEST = 1_000_000


def repository_of(root: Path) -> dict[str, str]:
    """All names of the repository that a folder lies in, its settings and its hooks; nothing where there is none."""
    git = git_folder(root)
    return {**refs_of(root), **dict(settings(shared(git)))} if git else {}


def settings(git: Path) -> Iterator[tuple[str, str]]:
    """The digest of each file of settings, and of each hook but the samples."""
    for name in (*SETTINGS, *hooks(git)):
        if held := content(git / name):
            yield name, blake2b(held, digest_size=16).hexdigest()


def hooks(git: Path) -> Iterator[str]:
    """The files that git may run."""
    with suppress(OSError), os.scandir(git / "hooks") as found:
        yield from (f"hooks/{one.name}" for one in found if not one.name.endswith(".sample"))


def content(path: Path) -> bytes:
    """What is in a file; nothing where it cannot be read, or is none."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= LARGEST else b""
    except OSError:
        return b""
