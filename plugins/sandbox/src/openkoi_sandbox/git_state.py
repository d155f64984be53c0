"""Git's working tree beside files that commands may not change: git does all the rest, and says what it left.

Git stops in the middle where a file is read-only, and leaves the others changed. So the files of a working tree are not
made read-only for a command that names git: what it changed of them is put back when it ends.
"""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Command, KoiError

from .job import Job

NAMED = re.compile(r"(?<![\w.-])git(?![\w./-])")
UNFINISHED = re.compile(r"unable to (?:unlink|create file|write file)")
STATUS = ("git", "-c", "core.fsmonitor=false", "status", "--short", "--branch")
SECONDS = 20
MAX_LINES = 20
STATE = "[`git status --short --branch` is now:\n{status}]"
COMMIT = (
    "[Do not commit a file that differs only because it was restored or refused. To take it from the commit, run "
    "`git checkout -- FILE`: the user is asked then.]"
)


def names_git(argv: Sequence[str]) -> bool:
    """Return whether a command line names git."""
    return any(NAMED.search(word) for word in argv)


def state_after(job: Job, output: str, *, restored: bool) -> Iterator[str]:
    """Say what state git left, where it may have taken part; asked of git in the same sandbox.

    ``restored``: files of the working tree were put back.
    """
    took_part = restored or names_git(job.command.argv) or UNFINISHED.search(output)
    if job.cancelled.is_set() or not took_part:
        return
    command = Command(STATUS, seconds=SECONDS)
    try:
        done = Job(command, job.root, job.settings, job.cage, job.den, job.sealed).run()
    except KoiError:
        return
    if done.exit_code == 0:
        lines = done.output.splitlines()
        more = [f"... and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
        yield STATE.format(status="\n".join([*lines[:MAX_LINES], *more]))
        yield COMMIT
