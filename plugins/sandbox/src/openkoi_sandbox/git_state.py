"""Report the state of a git working tree after files were protected from a command.

Git stops in the middle where a file is read-only, and leaves the others changed. So the files of a working tree are not
made read-only for a command that names git: its changes of them are undone when it ends.
"""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Command, KoiError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .run_until_timeout import Job

GIT_WORD = lazy_pattern(r"(?<![\w.-])git(?![\w./-])")
UNFINISHED_MESSAGE = lazy_pattern(r"unable to (?:unlink|create file|write file)")
STATUS_COMMAND = ("git", "-c", "core.fsmonitor=false", "status", "--short", "--branch")
STATUS_TIMEOUT_SECONDS = 20
MAX_LINES = 20
STATE_NOTE = "[`git status --short --branch` is now:\n{status}]"
COMMIT_NOTE = (
    "[Do not commit a file that differs only because it was restored or refused. To restore the committed version, run "
    "`git checkout -- FILE`: the user is asked to approve it.]"
)


def names_git(argv: Sequence[str]) -> bool:
    """Return whether a command line names git."""
    return any(GIT_WORD.search(word) for word in argv)


def describe_git_state(job: Job, output: str, *, restored: bool) -> Iterator[str]:
    """Yield notes on the state of git's working tree, if the command may have run git; git runs in the same sandbox.

    ``restored``: files of the working tree were restored.
    """
    took_part = restored or names_git(job.command.argv) or UNFINISHED_MESSAGE.search(output)
    if job.cancelled.is_set() or not took_part:
        return
    command = Command(STATUS_COMMAND, seconds=STATUS_TIMEOUT_SECONDS)
    try:
        done = Job(command, job.root, job.settings, job.confinement, job.private, job.read_only).run()
    except KoiError:
        return
    if done.exit_code == 0:
        lines = done.output.splitlines()
        more = [f"... and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
        yield STATE_NOTE.format(status="\n".join([*lines[:MAX_LINES], *more]))
        yield COMMIT_NOTE
