"""Find files that a shell sources and that need confirmation.

Shell settings and scripts of well-known tools do not. Files from elsewhere do. A file of the workspace does when the
run has written it.
"""

import os
import posixpath
import time
from pathlib import Path

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .limits import CLOCK_TOLERANCE_SECONDS, MAX_RUNS
from .shell_words import Word

USUAL = lazy_pattern(
    r"^(~|/root|/home/[^/]+)/\.[\w.-]+(/.*)?$|^/(etc|usr|opt|nix)/|(^|/)(bin|Scripts)/activate(\.\w+)?$|^/dev/stdin$|^-$"
    r"|(^|/)(nvm|conda|sdkman-init|asdf|virtualenvwrapper|git-completion|git-prompt)\.(ba|z)?sh$|[|*?\[]"
)
ELSEWHERE = lazy_pattern(r"^(/|~|\.\.(/|$)|\$\{?(HOME|TMPDIR|TMP|TEMP)\b)")
SOURCING = frozenset({"source", "."})


def is_elsewhere(word: Word) -> bool:
    """Return whether a file is outside the workspace and not well known, by its spelling."""
    name = posixpath.normpath(word.text)
    return not USUAL.search(name) and ELSEWHERE.match(name) is not None


def may_be_in_workspace(word: Word) -> bool:
    """Return whether a file may be in the workspace."""
    return word.is_known and not USUAL.search(posixpath.normpath(word.text))


class RunStartTimes:
    """When each run was first seen, by the local clock."""

    def __init__(self) -> None:
        self.seen: dict[str, float] = {}

    def get_start(self, run: str) -> float:
        """Return when a run was first seen; the oldest runs are forgotten."""
        if run not in self.seen and len(self.seen) >= MAX_RUNS:
            self.seen.pop(next(iter(self.seen)))
        return self.seen.setdefault(run, time.time() - CLOCK_TOLERANCE_SECONDS)


def is_new(path: Path, workspace: Path, since: float) -> bool:
    """Return whether a file was created or changed since, or is outside the workspace, with links resolved."""
    try:
        real = Path(os.path.realpath(workspace / path))
        return real.stat().st_ctime >= since or not real.is_relative_to(workspace.resolve())
    except (OSError, ValueError):
        return True
