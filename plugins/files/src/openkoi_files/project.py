"""Which project a workspace belongs to. Knows the workspace's files and git's answer; keeps nothing.

``.openkoi/project`` names it; else the first commit of its git history; else its path. A link is no name: whoever wrote
the project could point it at any file.
"""

import os
import re
import subprocess
from hashlib import sha256
from pathlib import Path
from subprocess import DEVNULL, PIPE

PATIENCE = 2.0
MOST = 64
ODD = re.compile(r"[^\w.:@+]+")
ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}


def project_id(workspace: Path) -> str:
    """The same id wherever the project is checked out, as long as something tells it."""
    for folder in (workspace, *workspace.parents):
        if (said := named_in(folder / ".openkoi")) is not None:
            return said or str(folder)
        if (folder / ".git").exists():
            return root_commit(folder) or hashed(folder)
    return hashed(workspace)


def named_in(folder: Path) -> str | None:
    """What the folder's file calls the project, in plain characters; None without a file that is one."""
    file = folder / "project"
    if not file.is_file() or folder.is_symlink() or file.is_symlink():
        return None
    with file.open(encoding="utf-8", errors="replace") as text:
        return ODD.sub("-", text.read(MOST).strip()).strip("-")


def root_commit(folder: Path) -> str:
    """The oldest commit that the head goes back to; empty without git, commits or patience.

    A project's git configuration may name programs that fetch what is missing: nothing is fetched.
    """
    asked = ["git", "-C", str(folder), "rev-list", "--max-parents=0", "HEAD"]
    try:
        told = subprocess.run(
            asked, stdout=PIPE, stderr=DEVNULL, text=True, timeout=PATIENCE, check=False, env={**os.environ, **ALONE}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = told.stdout.split()
    return lines[-1] if told.returncode == 0 and lines else ""


def hashed(folder: Path) -> str:
    return sha256(str(folder).encode("utf-8", "surrogatepass")).hexdigest()[:16]
