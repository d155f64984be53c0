"""Run a Python project's tests with pytest or unittest, in the first interpreter that can run them."""

import json
import secrets
from importlib.resources import files
from pathlib import Path

from openkoi_hookspecs import Command, CommandResult, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from .command_output import output_lines
from .interpreters import find_interpreters, python_environment
from .project import RunnerKind, unittest_folders
from .reporter_protocol import ReporterOutput, outcome_of, parse_output
from .results import SuiteOutcome

NOT_THERE = {126, 127}
START = ("-X", "pycache_prefix=")  # the reporter decides which compiled files are read
BOOT = "import sys; sys.path[:] = [p for p in sys.path if p]; exec(sys.argv[1])"


@dataclass(frozen=True, slots=True, kw_only=True)
class Python:
    """How to run the tests of a Python project. ``only`` names the tests to repeat; empty means all."""

    kind: RunnerKind
    seconds: float
    venv: str = ""
    folder: str = ""
    only: tuple[str, ...] = ()

    async def run(self, run: Run) -> SuiteOutcome | None:
        """Run the tests; None when no interpreter has the runner they need."""
        for python in self._interpreters(run.workspace):
            story = await self._run_reporter(python, run)
            if story is not None and not story.missing:
                return outcome_of(story)
        return None

    def _interpreters(self, root: Path) -> tuple[str, ...]:
        """Return those of the folder, then those of the workspace around it."""
        near = find_interpreters(root / self.folder, self.venv)
        return (
            tuple(dict.fromkeys((*near[:1], *find_interpreters(root, self.venv)[:1], *near))) if self.folder else near
        )

    async def _run_reporter(self, python: str, run: Run) -> ReporterOutput | None:
        mark = f"@{secrets.token_hex(8)} "
        completed = await run.execute(self._command(python, mark, run))
        if completed.exit_code in NOT_THERE and mark not in completed.output:
            return None
        return self._story(completed, mark, run)

    def _command(self, python: str, mark: str, run: Run) -> Command:
        script = files(__package__).joinpath("reporter.py").read_text("utf-8")
        orders = {"mark": mark, "pytest": self.kind is RunnerKind.PYTEST, "only": self.only}
        root = run.workspace / self.folder
        orders["folders"] = unittest_folders(root) if self.kind is RunnerKind.UNITTEST else []
        orders["home"] = self.folder
        env = python_environment(root, python)
        stdin = json.dumps(orders).encode()
        return Command([python, *START, "-c", BOOT, script], stdin=stdin, env=env, seconds=self.seconds)

    def _story(self, completed: CommandResult, mark: str, run: Run) -> ReporterOutput:
        records, printed = parse_output(output_lines(completed), mark)
        return ReporterOutput(
            records=records, printed=printed, root=run.workspace / self.folder, timed_out=completed.timed_out
        )
