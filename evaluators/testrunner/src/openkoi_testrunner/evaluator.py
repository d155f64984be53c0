"""Run the project's tests and compare them with the baseline."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar

from openkoi_hookspecs import Baseline, ConfigError, DataDir, Env, Evaluation, ExecutionResult, Run, Task
from openkoi_hookspecs.events import WarningIssued

from .baseline import SuiteBaseline, make_baseline, parse_baseline
from .evaluation import evaluate_outcome, not_run_findings
from .known_results import KnownResults
from .project import RunnerKind
from .results import SuiteOutcome
from .state_digest import StateDigests
from .suite_runner import SuiteResults, SuiteRunner, start_time_limits
from .suites import Suite, remaining_suites, suites_of

SETTINGS = frozenset({"conftest.py", "pytest.ini"})  # they decide how every test below them runs
ABOUT_TESTS = frozenset({"bugfix", "test", "testing"})
MAX_BEGUN = 256  # runs that have not asked for their baselines: an error may have ended them
NONE = SuiteOutcome(runner="tests")


class TestRunner:
    """Configured by ``[evaluators.testrunner]``: ``command``, ``seconds``, ``total``, ``venv``."""

    __test__: ClassVar[bool] = False  # its name begins like that of a test class

    def __init__(
        self,
        *,
        command: str = "",
        seconds: float = 120.0,
        total: float = 600.0,
        venv: Annotated[str, Env("VIRTUAL_ENV")] = "",
        results: Annotated[Path | None, DataDir("test-results")] = None,
    ) -> None:
        for name, value in (("seconds", seconds), ("total", total)):
            if not value > 0:
                raise ConfigError(f"[evaluators.testrunner] {name} is {value}. It must be above 0.")
        self.command = command
        self.seconds = seconds
        self.total = total
        self.venv = venv
        self.known = KnownResults(results)
        self.digests = StateDigests()
        self.begun: dict[str, asyncio.Task[Baseline]] = {}

    def begin(self, run: Run) -> None:
        """Start the tests for the baseline before the run asks for it."""
        if run.id not in self.begun:
            self.begun[run.id] = task = asyncio.create_task(self._find_baseline(run))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            for oldest in [*self.begun][:-MAX_BEGUN]:
                self.begun.pop(oldest).cancel()

    async def end(self, run: Run) -> None:
        """Stop the tests that were started early, unless the run uses them; tests never run twice at once."""
        if task := self.begun.pop(run.id, None):
            task.cancel()
            await asyncio.wait([task])

    async def baseline(self, run: Run) -> Baseline:
        """Return the results of the existing tests before the first change."""
        begun = self.begun.pop(run.id, None)
        return await (begun or self._find_baseline(run))

    async def _find_baseline(self, run: Run) -> Baseline:
        """Return the results of the tests; run them unless the results are known."""
        suites = await self._suites(run, SuiteBaseline())
        state = await self._state(suites, run)
        if known := self.known.find(state):
            return known
        results = await self._bench(run).run_suites(suites, None)
        for finding in not_run_findings(results.not_run, touched=()):
            await run.emit(WarningIssued(f"{finding.title}. {finding.fix}"))
        await self._keep(state, results, suites, run)
        return make_baseline(results.outcomes, suites)

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Run the tests of the workspace; None if there are none now and there were none before."""
        await self.end(run)
        since = [check for one in run.iterations if one.evaluation for check in one.evaluation.checks]
        settings = tuple(file for file in work.files if file.rpartition("/")[2] in SETTINGS)
        before = replace(parse_baseline(work.baseline, since), all_count=about_tests(run.task), settings=settings)
        suites = await self._suites(run, before)
        state = await self._state(suites, run)
        results = await self._bench(run).all(suites, before, work.files)
        await self._keep(state, results, suites, run)
        found = not_run_findings(results.not_run, touched=work.files)
        return evaluate_outcome(results.whole or NONE, before.without(results.put_off), found)

    async def _state(self, suites: Sequence[Suite], run: Run) -> str:
        """Return a digest of what the suites' results depend on; empty if there are no suites, or that is too large."""
        if not suites or self.known.folder is None:
            return ""
        settings = (self.command, *(f"{suite.kind} {suite.folder}" for suite in suites))
        return await asyncio.to_thread(self.digests.digest, run.workspace, self.venv, settings)

    async def _keep(self, state: str, results: SuiteResults, suites: tuple[Suite, ...], run: Run) -> None:
        """Cache the results if all suites completed and nothing changed meanwhile."""
        if results.whole and results.complete and state == await self._state(suites, run):
            await asyncio.to_thread(self.known.keep, state, make_baseline(results.outcomes, suites))

    async def _suites(self, run: Run, before: SuiteBaseline) -> tuple[Suite, ...]:
        """Return the current suites, and those of the baseline that still have something to run."""
        if self.command:
            return (Suite(RunnerKind.COMMAND),)
        return await asyncio.to_thread(
            lambda: tuple(dict.fromkeys((*suites_of(run.workspace), *remaining_suites(before.suites, run.workspace))))
        )

    def _bench(self, run: Run) -> SuiteRunner:
        return SuiteRunner(
            run=run, time_limits=start_time_limits(self.seconds, self.total), venv=self.venv, command=self.command
        )


def about_tests(task: Task) -> bool:
    """Return whether the task is to fix failing tests; if so, those that failed before count as well."""
    return task.category.lower().replace("-", "") in ABOUT_TESTS
