"""Resolve paths that a model names, symlinks included, and refuse what leads out of the workspace, however spelled."""

import os
from pathlib import Path
from stat import S_ISLNK

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_SHOWN_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class WorkspacePath:
    """A path inside the workspace, as named and with links resolved."""

    root: Path
    real: Path

    @property
    def name(self) -> str:
        """The path relative to the workspace, with forward slashes."""
        return printable_path(self.real.relative_to(self.root).as_posix())


def resolve_path(workspace: Path, given: str) -> WorkspacePath:
    """Return the resolved path; it need not exist."""
    if not given.strip():
        raise ToolError("The path is empty. Pass one relative to the working directory, such as src/main.py.")
    if "\0" in given:
        raise ToolError("The path contains a NUL character. Remove it.")
    root = workspace.resolve()
    try:
        real = (root / given).resolve()
        looped = real.is_relative_to(root) and is_link(real)
    except (OSError, RuntimeError) as error:
        raise ToolError(describe_refusal(given, error)) from None
    if not real.is_relative_to(root) or names_home(root, given):
        raise ToolError(
            f"{shorten_path(given)} is outside the working directory. Use a path inside it; '.' is its top folder."
        )
    if looped:
        raise ToolError(f"{shorten_path(given)} is a link to itself.")
    return WorkspacePath(root, real)


def names_home(root: Path, given: str) -> bool:
    """Return whether a path starts with ``~`` as a shell understands it: no folder here has that name."""
    return given.split("/")[0] == "~" and not os.path.lexists(root / "~")


def is_link(path: Path) -> bool:
    """Return whether there is a link; unlike pathlib since Python 3.14, raise OSError for an impossible path."""
    try:
        return S_ISLNK(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def printable_path(path: str) -> str:
    """Return a printable path, in which bytes that are not text are replaced."""
    return os.fsencode(path).decode(errors="replace")


def describe_refusal(path: str, error: OSError | RuntimeError) -> str:
    """Describe why the system rejected an operation on a path."""
    short = shorten_path(path)
    if isinstance(error, PermissionError):
        return f"{short}: permission denied for this user. Continue without it, or ask the user."
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{short}: a part of this path is a file, not a folder."
    if isinstance(error, RuntimeError):
        return f"{short} is a link to itself."
    return f"{short}: {error.strerror or error}."


def shorten_path(path: str) -> str:
    """Return a path short enough for a sentence."""
    return path if len(path) <= MAX_SHOWN_CHARACTERS else f"{path[:MAX_SHOWN_CHARACTERS]}…"
