"""Recognise commands that only delete files of the workspace, which ``openkoi undo`` restores."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .classify import LineVerdict
    from .issue import Issue

DELETING = frozenset({"rm", "rmdir", "unlink"})
EXPANDED = frozenset("~$`{[")  # what a shell makes of these is not known here


def can_be_undone(issue: "Issue", verdict: "LineVerdict", workspace: Path) -> bool:
    """Return whether a command only deletes paths inside the workspace; never git's own folder."""
    try:
        program, *words = shlex.split(issue.command) or [""]
    except ValueError:
        return False
    paths = [word for word in words if not word.startswith("-")]
    if issue.category != "destructive" or program not in DELETING or verdict.folders or not paths:
        return False
    return all(is_inside(path, workspace) for path in paths)


def is_inside(path: str, workspace: Path) -> bool:
    """Return whether a path is below the workspace, links resolved, and not in git's folder."""
    if EXPANDED & {*path}:
        return False
    place = Path(os.path.normpath(workspace / path))
    real = place.parent.resolve() / place.name
    return workspace.resolve() in real.parents and ".git" not in real.parts
