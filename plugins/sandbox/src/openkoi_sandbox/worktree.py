"""Find which git folders outside a workspace a commit in it writes.

The file ``.git`` is the workspace's own, so a command may have written it: what it points to is believed only when git
itself points back from there.
"""

import re
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

SHARED_PARTS = ("objects", "refs", "logs", "reftable")
POINTER = lazy_pattern(r"gitdir: (.+)")
WORKTREE = lazy_pattern(r"^\s*worktree\s*=\s*\"?(.+?)\"?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GitFolders:
    """What a command may write of git's folders, and what it may read.

    And which is this worktree's or submodule's ``own``.
    """

    written: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()


def find_git_folders(root: Path) -> GitFolders:
    """Return the folder that is this worktree's or submodule's alone.

    A shared folder's hooks and settings are excluded.
    """
    own = pointed_git_folder(root)
    if own is None:
        return GitFolders(read=parent_repository(root))
    if own.parent.name == "worktrees" and leads_to(own, read_small_file(own / "gitdir"), root / ".git"):
        common = own.parent.parent
        return GitFolders((own, *shared_parts(common)), (common,), (own,))
    found = WORKTREE.search(read_small_file(own / "config"))
    return GitFolders((own,), (own,), (own,)) if found and leads_to(own, found[1], root) else GitFolders()


def parent_repository(root: Path) -> tuple[Path, ...]:
    """Return the repository that the workspace is a part of, when its git folder lies further up."""
    if (root / ".git").exists():
        return ()
    found = next((parent / ".git" for parent in root.parents if (parent / ".git").is_dir()), None)
    return (found.resolve(),) if found else ()


def pointed_git_folder(root: Path) -> Path | None:
    """Return the path of the git folder that the workspace's ``.git`` file names, if it is elsewhere."""
    link = root / ".git"
    found = None if link.is_symlink() or not link.is_file() else POINTER.match(read_small_file(link))
    return (root / found[1].strip()).resolve() if found else None


def leads_to(start: Path, words: str, goal: Path) -> bool:
    """Return whether a path, resolved from a folder, is the expected one."""
    place = start / words.strip()
    return bool(words.strip()) and place.parent.resolve() / place.name == goal.parent.resolve() / goal.name


def shared_parts(common: Path) -> tuple[Path, ...]:
    """Return what a commit writes in the folder that all worktrees share."""
    parts = (common / name for name in SHARED_PARTS)
    return tuple(part for part in parts if part.is_dir() and not part.is_symlink())


def read_small_file(path: Path) -> str:
    """Return the text of a small file; empty when it does not exist."""
    try:
        return path.read_text(errors="surrogateescape")[:65_536]
    except OSError:
        return ""
