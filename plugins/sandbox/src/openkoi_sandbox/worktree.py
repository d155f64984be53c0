"""What of git's folders lies outside a workspace and is written by a commit in it. Knows git's files, no program.

The file ``.git`` is the workspace's own, so a command may have written it: what it points to is believed only when git
itself points back from there.
"""

import re
from dataclasses import dataclass
from pathlib import Path

PARTS = ("objects", "refs", "logs", "reftable")
POINTER = re.compile(r"gitdir: (.+)")
WORKTREE = re.compile(r"^\s*worktree\s*=\s*\"?(.+?)\"?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GitFolders:
    """What of them a command may write, what it may read, and which is this worktree's or submodule's ``own``."""

    written: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()


def git_folders(root: Path) -> GitFolders:
    """The folder that is this worktree's or submodule's alone; of one shared with others no hooks and no settings."""
    own = pointed_to(root)
    if own is None:
        return GitFolders(read=above(root))
    if own.parent.name == "worktrees" and leads(own, text(own / "gitdir"), root / ".git"):
        common = own.parent.parent
        return GitFolders((own, *shared(common)), (common,), (own,))
    found = WORKTREE.search(text(own / "config"))
    return GitFolders((own,), (own,), (own,)) if found and leads(own, found[1], root) else GitFolders()


def above(root: Path) -> tuple[Path, ...]:
    """The repository that the workspace is a part of, when its git folder lies further up."""
    if (root / ".git").exists():
        return ()
    found = next((parent / ".git" for parent in root.parents if (parent / ".git").is_dir()), None)
    return (found.resolve(),) if found else ()


def pointed_to(root: Path) -> Path | None:
    """Where the workspace says that its git folder is, if it is not in it."""
    link = root / ".git"
    found = None if link.is_symlink() or not link.is_file() else POINTER.match(text(link))
    return (root / found[1].strip()).resolve() if found else None


def leads(start: Path, words: str, goal: Path) -> bool:
    """Whether a path, read from a folder, is the one we look for."""
    place = start / words.strip()
    return bool(words.strip()) and place.parent.resolve() / place.name == goal.parent.resolve() / goal.name


def shared(common: Path) -> tuple[Path, ...]:
    """What of all worktrees' folder a commit writes."""
    parts = (common / name for name in PARTS)
    return tuple(part for part in parts if part.is_dir() and not part.is_symlink())


def text(path: Path) -> str:
    """What a small file says; nothing when it is not there."""
    try:
        return path.read_text(errors="surrogateescape")[:65_536]
    except OSError:
        return ""
