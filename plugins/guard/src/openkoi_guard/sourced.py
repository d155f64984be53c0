"""Files that a shell reads into itself with ``source`` or ``.``: which of them a person should see.

Settings that a shell reads at every start, and those of well-known tools, may. A file from elsewhere may not. One of
the workspace may when it was there before the run: what the run has written itself, a person has not seen.
"""

import os
import posixpath
import re
import time
from pathlib import Path

from .words import Word

USUAL = re.compile(
    r"^(~|/root|/home/[^/]+)/\.[\w.-]+(/.*)?$|^/(etc|usr|opt|nix)/|(^|/)(bin|Scripts)/activate(\.\w+)?$|^/dev/stdin$|^-$"
    r"|(^|/)(nvm|conda|sdkman-init|asdf|virtualenvwrapper|git-completion|git-prompt)\.(ba|z)?sh$|[|*?\[]"
)
ELSEWHERE = re.compile(r"^(/|~|\.\.(/|$)|\$\{?(HOME|TMPDIR|TMP|TEMP)\b)")
SOURCING = frozenset({"source", "."})
MOST_RUNS = 1_000
# A file system tells the time in coarser steps than we do.
COARSE = 0.05


def is_elsewhere(word: Word) -> bool:
    """Whether a file of no well-known kind lies outside the folder that is worked in, as far as its spelling says."""
    name = posixpath.normpath(word.text)
    return not USUAL.search(name) and ELSEWHERE.match(name) is not None


def may_be_ours(word: Word) -> bool:
    """Whether a file may be one of the workspace that the run has written."""
    return word.known and not USUAL.search(posixpath.normpath(word.text))


class Beginnings:
    """When each run was first seen, by our own clock."""

    def __init__(self) -> None:
        self.seen: dict[str, float] = {}

    def of(self, run: str) -> float:
        """The time at which a run was first seen; the oldest runs are forgotten."""
        if run not in self.seen and len(self.seen) >= MOST_RUNS:
            self.seen.pop(next(iter(self.seen)))
        return self.seen.setdefault(run, time.time() - COARSE)


def is_new(path: Path, workspace: Path, since: float) -> bool:
    """Whether a file has come to be, was changed or lies outside: links resolved, the time is the file system's own."""
    try:
        real = Path(os.path.realpath(workspace / path))
        return real.stat().st_ctime >= since or not real.is_relative_to(workspace.resolve())
    except (OSError, ValueError):
        return True
