"""Paths that a model names, held to the workspace. Whatever leads out of it is refused, by whatever spelling."""

import os
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISLNK

from openkoi_hookspecs import ToolError

LONGEST_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Place:
    """A path inside the workspace: as it is on the disk, links resolved, and as it is called."""

    root: Path
    real: Path

    @property
    def name(self) -> str:
        """The path relative to the workspace, with forward slashes."""
        return spelled(self.real.relative_to(self.root).as_posix())


def place(workspace: Path, given: str) -> Place:
    """Find the place that a path names; it need not exist."""
    if not given.strip():
        raise ToolError("The path is empty. Pass one relative to the working directory, such as src/main.py.")
    if "\0" in given:
        raise ToolError("The path contains a NUL character. Leave it out.")
    root = workspace.resolve()
    try:
        real = (root / given).resolve()
        looped = real.is_relative_to(root) and is_link(real)
    except (OSError, RuntimeError) as error:
        raise ToolError(refusal(given, error)) from None
    if not real.is_relative_to(root):
        raise ToolError(
            f"{shortened(given)} is outside the working directory. Use a path inside it; '.' is its top folder."
        )
    if looped:
        raise ToolError(f"{shortened(given)} is a link to itself.")
    return Place(root, real)


def is_link(path: Path) -> bool:
    """Whether there is a link; unlike pathlib's since Python 3.14, raises OSError for what can be no path."""
    try:
        return S_ISLNK(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def spelled(path: str) -> str:
    """Return a path as it can be shown: a byte of it that is no text becomes a sign for one."""
    return os.fsencode(path).decode(errors="replace")


def refusal(path: str, error: OSError | RuntimeError) -> str:
    """Say why the system would not do something with a path."""
    short = shortened(path)
    if isinstance(error, PermissionError):
        return f"{short}: permission denied for this user. Continue without it, or ask the user."
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{short}: a part of this path is a file, not a folder."
    if isinstance(error, RuntimeError):
        return f"{short} is a link to itself."
    return f"{short}: {error.strerror or error}."


def shortened(path: str) -> str:
    """Return a path as it may stand in a sentence."""
    return path if len(path) <= LONGEST_SHOWN else f"{path[:LONGEST_SHOWN]}…"
