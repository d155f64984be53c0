"""Find the workspace of a folder, and identify the project that it belongs to.

``.openkoi/project`` names it; else the first commit of its git history; else its path. A link is not a name: the
project's author could point it at any file.
"""

import os
import subprocess
from hashlib import sha256
from pathlib import Path
from subprocess import DEVNULL, PIPE

from openkoi_hookspecs.lazy_pattern import lazy_pattern

GIT_TIMEOUT_SECONDS = 2.0
MAX_ID_CHARACTERS = 64
ODD_CHARACTERS = lazy_pattern(r"[^\w.:@+]+")
OFFLINE_GIT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}


def find_workspace(folder: Path) -> Path:
    """Return the root of the repository or project that a folder is in; the folder itself without one.

    A home folder is a workspace only for a user who stands in it: it may be a repository of settings.
    """
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    for place in (folder, *folder.parents):
        if place != folder and (str(place) == home or place == place.parent):
            break
        if (place / ".git").exists() or (place / ".openkoi").is_dir():
            return place
    return folder


def project_id(workspace: Path) -> str:
    """Return the project's id, which is the same in every checkout if its name or first commit identifies it."""
    for folder in (workspace, *workspace.parents):
        if (name := declared_name(folder / ".openkoi")) is not None:
            return name or str(folder)
        if (folder / ".git").exists():
            return root_commit(folder) or hash_path(folder)
    return hash_path(workspace)


def declared_name(folder: Path) -> str | None:
    """Return the project's name in its file, in plain characters; None if no file has it."""
    file = folder / "project"
    if not file.is_file() or folder.is_symlink() or file.is_symlink():
        return None
    with file.open(encoding="utf-8", errors="replace") as text:
        return ODD_CHARACTERS.sub("-", text.read(MAX_ID_CHARACTERS).strip()).strip("-")


def root_commit(folder: Path) -> str:
    """Return the oldest ancestor of HEAD; empty if there is no git or no commit, or git takes too long.

    A project's git configuration may name programs that fetch what is missing: nothing is fetched.
    """
    command = ["git", "-C", str(folder), "rev-list", "--max-parents=0", "HEAD"]
    try:
        process = subprocess.run(
            command,
            stdout=PIPE,
            stderr=DEVNULL,
            text=True,
            timeout=GIT_TIMEOUT_SECONDS,
            check=False,
            env={**os.environ, **OFFLINE_GIT},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = process.stdout.split()
    return lines[-1] if process.returncode == 0 and lines else ""


def hash_path(folder: Path) -> str:
    return sha256(str(folder).encode("utf-8", "surrogatepass")).hexdigest()[:16]
