"""Judge a replay: by a command, as ``git bisect run`` does, or by the recorded result."""

import os
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile

from openkoi_hookspecs import KoiError, NextAction
from openkoi_hookspecs.lazy_dataclass import dataclass

from .search import Outcome

SKIP_STATUS = 125  # as for git bisect run
CHECK_SECONDS = 600.0
ANSWER = "OPENKOI_ANSWER"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay: the answer, the action decided on, the changed files, and the folder."""

    text: str
    action: NextAction
    diff: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides whether a result is bad. ``accepted``: the recorded one was accepted; ``check`` is the user's command."""

    check: str
    accepted: bool
    recorded: ReplayResult | None = None

    @property
    def description(self) -> str:
        """What a bad result is, for the user."""
        if self.check:
            return f"a result is bad if `{self.check}` fails"
        return (
            "a result is bad if it equals the recorded result"
            if self.accepted
            else "a result is bad if it is not accepted"
        )

    def outcome(self, result: ReplayResult) -> Outcome:
        """Return whether a result is good or bad, or must be skipped."""
        if self.check:
            return run_check(self.check, result)
        if not self.accepted:
            return Outcome.GOOD if result.action is NextAction.ACCEPT else Outcome.BAD
        before = self.recorded or result
        same = (result.text, result.diff, result.action) == (before.text, before.diff, before.action)
        return Outcome.BAD if same else Outcome.GOOD


def run_check(check: str, result: ReplayResult) -> Outcome:
    """Run the user's command in the folder of the result; its exit status is the outcome.

    The answer is its standard input, and a file whose path is in ``$OPENKOI_ANSWER``.
    """
    with NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as answer:
        answer.write(result.text)
        answer.flush()
        variables = {**os.environ, ANSWER: answer.name}
        try:
            done = subprocess.run(
                check,
                shell=True,
                cwd=result.folder,
                env=variables,
                input=result.text.encode(),
                capture_output=True,
                timeout=CHECK_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise KoiError(f"`{check}` did not end within {CHECK_SECONDS:g} s.") from None
    if done.returncode == SKIP_STATUS:
        return Outcome.SKIPPED
    if done.returncode < 0 or done.returncode > SKIP_STATUS:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise KoiError(f"`{check}` cannot judge a result: {last}")
    return Outcome.BAD if done.returncode else Outcome.GOOD
