"""Read a repository's refs: branches, tags, the stash and HEAD.

Read files, run no git. Checkpoints never contain them and undo never moves them; they are read to report what a command
did to them.
"""

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from openkoi_base.files import walk
from openkoi_hookspecs.events import GitRefChanged

HEAD, STASH = "HEAD", "refs/stash"
KINDS = ("heads", "tags")
REF_PREFIXES = tuple(f"refs/{kind}/" for kind in KINDS)
MAX_LOOSE_REFS = 5_000


def compare_refs(before: Mapping[str, str], after: Mapping[str, str], repository: str = "") -> Iterator[GitRefChanged]:
    """Compare the refs before and after; for a nested repository that was created or deleted, only HEAD counts."""
    head = after.get(HEAD, "").removeprefix("ref: ")
    refs = {HEAD} if repository and not (before and after) else before.keys() | after.keys()
    for ref in sorted(ref for ref in refs if before.get(ref) != after.get(ref)):
        yield GitRefChanged(ref, before.get(ref, ""), after.get(ref, ""), current=ref == head, repository=repository)


def read_refs(root: Path) -> dict[str, str]:
    """Return all refs of the repository around a folder; none if it is missing or unreadable."""
    git = find_git_folder(root)
    if git is None:
        return {}
    common = shared_git_folder(git)
    found = dict(packed_refs(common))
    for kind in KINDS:
        found.update(loose_refs(common / "refs" / kind, f"refs/{kind}"))
    named = {HEAD: read_first_line(git / HEAD), STASH: read_first_line(common / STASH)}
    found.update((ref, goal) for ref, goal in named.items() if goal)
    return found


def find_git_folder(root: Path) -> Path | None:
    """Return the folder of git's data, in the workspace or above it."""
    for folder in (root, *root.parents):
        place = folder / ".git"
        if place.is_dir():
            return place
        if place.is_file():
            named = folder / read_first_line(place).removeprefix("gitdir: ").replace("\0", "")
            return named if named.is_dir() else None
    return None


def shared_git_folder(git: Path) -> Path:
    """Return the folder that all worktrees of a repository share."""
    return git / read_first_line(git / "commondir") if (git / "commondir").is_file() else git


def packed_refs(git: Path) -> Mapping[str, str]:
    """Return the refs in the packed file, which is read again only if it has changed."""
    path = git / "packed-refs"
    try:
        status = path.stat()
    except (OSError, ValueError):
        return {}
    return parse_packed_refs(path, (status.st_mtime_ns, status.st_size, status.st_ino))


@lru_cache(maxsize=8)
def parse_packed_refs(path: Path, _stamp: tuple[int, int, int]) -> Mapping[str, str]:
    """Return the refs in a packed file with this stamp."""
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return {}
    split = (line.partition(" ") for line in lines)
    return {ref: goal for goal, _, ref in split if ref == STASH or ref.startswith(REF_PREFIXES)}


def loose_refs(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield the refs that have a file each, up to a limit."""
    count, cut = 0, len(str(folder)) + 1
    for place, _, files in walk(folder):
        for file in files:
            count += 1
            if count > MAX_LOOSE_REFS:
                return
            if not file.endswith(".lock"):
                path = os.path.join(place, file)  # noqa: PTH118  # a Path for each of many is slow
                yield f"{name}/{path[cut:].replace(os.sep, '/')}", read_first_line(path)


def read_first_line(path: Path | str) -> str:
    """Return the first line of a small file; empty if it cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # it is read for each of many names
            return os.fsdecode(file.read(4_096)).partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""
