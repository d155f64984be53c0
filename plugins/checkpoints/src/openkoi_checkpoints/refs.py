"""What a repository's names point to: branches, tags, the stash, and what is checked out. Reads files, runs no git.

A checkpoint never holds them and undo never moves them; they are read to tell a person what a command did to them.
"""

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from openkoi_hookspecs.events import GitRefChanged

HEAD, STASH = "HEAD", "refs/stash"
KINDS = ("heads", "tags")
OURS = tuple(f"refs/{kind}/" for kind in KINDS)
MOST = 5_000


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[GitRefChanged]:
    """Compare two readings."""
    head = after.get(HEAD, "").removeprefix("ref: ")
    for ref in sorted(ref for ref in before.keys() | after.keys() if before.get(ref) != after.get(ref)):
        yield GitRefChanged(ref, before.get(ref, ""), after.get(ref, ""), current=ref == head)


def refs_of(root: Path) -> dict[str, str]:
    """All names of the repository that a folder lies in; none where there is no repository, or it cannot be read."""
    git = git_folder(root)
    if git is None:
        return {}
    common = shared(git)
    found = dict(packed(common))
    for kind in KINDS:
        found.update(loose(common / "refs" / kind, f"refs/{kind}"))
    named = {HEAD: first_line(git / HEAD), STASH: first_line(common / STASH)}
    found.update((ref, goal) for ref, goal in named.items() if goal)
    return found


def git_folder(root: Path) -> Path | None:
    """The folder that git keeps a repository in: beside the workspace's files, or above them."""
    for folder in (root, *root.parents):
        place = folder / ".git"
        if place.is_dir():
            return place
        if place.is_file():
            named = folder / first_line(place).removeprefix("gitdir: ").replace("\0", "")
            return named if named.is_dir() else None
    return None


def shared(git: Path) -> Path:
    """The folder with what all worktrees of a repository share."""
    return git / first_line(git / "commondir") if (git / "commondir").is_file() else git


def packed(git: Path) -> Mapping[str, str]:
    """The names that git keeps in one file; read again only when that has changed."""
    path = git / "packed-refs"
    try:
        status = path.stat()
    except (OSError, ValueError):
        return {}
    return packed_in(path, (status.st_mtime_ns, status.st_size, status.st_ino))


@lru_cache(maxsize=8)
def packed_in(path: Path, _stamp: tuple[int, int, int]) -> Mapping[str, str]:
    """The names in such a file, as it was when it looked so."""
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return {}
    split = (line.partition(" ") for line in lines)
    return {ref: goal for goal, _, ref in split if ref == STASH or ref.startswith(OURS)}


def loose(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """The names that git keeps in a file each; of very many only the first."""
    count, cut = 0, len(str(folder)) + 1
    for place, _, files in os.walk(folder):
        for file in files:
            count += 1
            if count > MOST:
                return
            if not file.endswith(".lock"):
                path = os.path.join(place, file)  # noqa: PTH118  # a Path for each of many is slow
                yield f"{name}/{path[cut:].replace(os.sep, '/')}", first_line(path)


def first_line(path: Path | str) -> str:
    """The first line of a small file; empty where it cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # it is read for each of many names
            return os.fsdecode(file.read(4_096)).partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""
