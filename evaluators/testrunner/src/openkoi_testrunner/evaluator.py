"""Run the project's tests and compare them with the baseline."""

import asyncio
from dataclasses import replace
from typing import Annotated, ClassVar

from openkoi_hookspecs import Baseline, ConfigError, Env, Evaluation, ExecutionResult, Run, Task
from openkoi_hookspecs.events import WarningIssued

from .baseline import SuiteBaseline, baseline_of, before_of
from .bench import SuiteRunner, start_time_limits
from .outcome import SuiteOutcome
from .project import RunnerKind
from .suites import Suite, standing, suites_of
from .verdict import unrun, verdict

SETTINGS = frozenset({"conftest.py", "pytest.ini"})  # what they say decides how every test below them runs
ABOUT_TESTS = frozenset({"bugfix", "test", "testing"})
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
    ) -> None:
        for name, value in (("seconds", seconds), ("total", total)):
            if not value > 0:
                raise ConfigError(f"[evaluators.testrunner] {name} is {value}. It must be above 0.")
        self.command = command
        self.seconds = seconds
        self.total = total
        self.venv = venv

    async def baseline(self, run: Run) -> Baseline:
        """Record which tests there are before the first change, and which of them are green."""
        suites = await self._suites(run, SuiteBaseline())
        told = await self._bench(run).each(suites, None)
        for finding in unrun(told.not_run, touched=()):
            await run.emit(WarningIssued(f"{finding.title}. {finding.fix}"))
        return baseline_of(told.outcomes, suites)

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Run the tests of the workspace; None when there are none and were none."""
        since = [check for one in run.iterations if one.evaluation for check in one.evaluation.checks]
        settings = tuple(file for file in work.files if file.rpartition("/")[2] in SETTINGS)
        before = replace(before_of(work.baseline, since), all_count=about_tests(run.task), settings=settings)
        told = await self._bench(run).all(await self._suites(run, before), before, work.files)
        found = unrun(told.not_run, touched=work.files)
        return verdict(told.whole or NONE, before.without(told.put_off), found)

    async def _suites(self, run: Run, before: SuiteBaseline) -> tuple[Suite, ...]:
        """The suites of now, and those of before that have something to run still."""
        if self.command:
            return (Suite(RunnerKind.COMMAND),)
        return await asyncio.to_thread(
            lambda: tuple(dict.fromkeys((*suites_of(run.workspace), *standing(before.suites, run.workspace))))
        )

    def _bench(self, run: Run) -> SuiteRunner:
        return SuiteRunner(
            run=run, patience=start_time_limits(self.seconds, self.total), venv=self.venv, command=self.command
        )


def about_tests(task: Task) -> bool:
    """Whether red tests are what the task is about: then those that were red before count too."""
    return task.category.lower().replace("-", "") in ABOUT_TESTS
