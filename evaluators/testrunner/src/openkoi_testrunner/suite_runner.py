"""Run a project's test suites in order, each with its test runner, while time remains."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from openkoi_hookspecs import Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from .baseline import SuiteBaseline
from .missing_dependencies import NotRun, missing_download, missing_imports, missing_packages
from .project import RunnerKind
from .python import Python
from .results import SuiteOutcome, count_as_passed, join_outcomes, relative_outcome
from .suites import Suite

if TYPE_CHECKING:
    from .programs import RunnerProgram

MAX_REPEATED_TESTS = 20
PYTHONS = frozenset({RunnerKind.PYTEST, RunnerKind.UNITTEST})


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResults:
    """The outcome of each suite, the suites that did not run, and those postponed until others pass."""

    outcomes: Mapping[Suite, SuiteOutcome] = field(default_factory=dict)
    not_run: tuple[NotRun, ...] = ()
    put_off: tuple[Suite, ...] = ()

    @property
    def whole(self) -> SuiteOutcome | None:
        """All outcomes joined."""
        return join_outcomes(list(self.outcomes.values()))

    @property
    def complete(self) -> bool:
        """Whether every suite ran to its end."""
        return not (self.not_run or self.put_off) and all(one.complete for one in self.outcomes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTimeLimits:
    """The time limits of one test run, and of all together."""

    each: float
    until: float
    in_all: float

    @property
    def left(self) -> float:
        """The seconds that the next run may take; not positive when the time is used up."""
        return min(self.each, self.until - time.monotonic())


def start_time_limits(each: float, in_all: float) -> RunTimeLimits:
    """Return time limits that start now."""
    return RunTimeLimits(each=each, until=time.monotonic() + in_all, in_all=in_all)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRunner:
    """The settings with which suites are run."""

    run: Run
    time_limits: RunTimeLimits
    venv: str = ""
    command: str = ""

    async def all(self, suites: Sequence[Suite], before: SuiteBaseline, files: Sequence[str]) -> SuiteResults:
        """Run the suites that the work touched; the others only if these pass, so that it may be accepted."""
        near = [suite for suite in suites if suite.contains_any(files)] or list(suites)
        far = [suite for suite in suites if suite not in near]
        results = await self.run_suites(near, before)
        if far and any(before.requires(test.name) for outcome in results.outcomes.values() for test in outcome.red):
            return SuiteResults(outcomes=results.outcomes, not_run=results.not_run, put_off=tuple(far))
        rest = await self.run_suites(far, before)
        return SuiteResults(outcomes={**results.outcomes, **rest.outcomes}, not_run=(*results.not_run, *rest.not_run))

    async def run_suites(self, suites: Sequence[Suite], before: SuiteBaseline | None) -> SuiteResults:
        """Run suites in order; with a baseline (``before``), repeat failed tests."""
        outcomes: dict[Suite, SuiteOutcome] = {}
        not_run: list[NotRun] = []
        for suite in suites:
            came = await self.run_suite(suite)
            if isinstance(came, NotRun):
                not_run.append(came)
            else:
                outcomes[suite] = await self.repeat_failed(suite, came, before) if before else came
                hollow = missing_imports(suite, came, self.run.workspace)
                not_run += [hollow] if hollow else []
        return SuiteResults(outcomes=outcomes, not_run=tuple(not_run))

    async def run_suite(self, suite: Suite, only: tuple[str, ...] = ()) -> SuiteOutcome | NotRun:
        """Run a suite; ``only`` are names relative to the workspace."""
        if self.time_limits.left <= 0:
            why = f"the limit of {self.time_limits.in_all:g} seconds for all tests was reached"
            return NotRun(suite, why, "Raise `total` in [evaluators.testrunner].")
        names = tuple(name.removeprefix(f"{suite.folder}/") if suite.folder else name for name in only)
        came = await (self.run_python(suite, names) if suite.kind in PYTHONS else self.run_by_program(suite, names))
        return came if isinstance(came, NotRun) else relative_outcome(came, suite.folder)

    async def run_python(self, suite: Suite, only: tuple[str, ...]) -> SuiteOutcome | NotRun:
        """Run Python's tests."""
        python = Python(kind=suite.kind, seconds=self.time_limits.left, venv=self.venv, folder=suite.folder, only=only)
        outcome = await python.run(self.run)
        return outcome or NotRun(suite, "no Python interpreter has pytest", "Install it in the project's environment.")

    async def run_by_program(self, suite: Suite, only: tuple[str, ...]) -> SuiteOutcome | NotRun:
        """Run the tests with a program; retry with the user's caches if a download fails."""
        from .programs import configured_program, program_for

        root = self.run.workspace
        program = (
            configured_program(self.command) if suite.kind is RunnerKind.COMMAND else program_for(suite, root, only)
        )
        if not program.there:
            return NotRun(
                suite,
                f"{program.needs or program.argv[0]} is not installed",
                "Install it, or set `command` in [evaluators.testrunner].",
            )
        if suite.kind is RunnerKind.NPM and (bare := missing_packages(suite, root)):
            return bare
        came = await self.run_program(suite, program)
        return await self.run_program(suite, program.at_home) if isinstance(came, NotRun) and program.else_env else came

    async def run_program(self, suite: Suite, program: "RunnerProgram") -> SuiteOutcome | NotRun:
        """Run a program, and distinguish a failing test from a missing dependency."""
        from .report import outcome_of

        report = await program.run(self.run, max(self.time_limits.left, 1.0))
        outcome = outcome_of(report)
        return missing_download(suite, report, outcome) or outcome

    async def repeat_failed(self, suite: Suite, outcome: SuiteOutcome, before: SuiteBaseline) -> SuiteOutcome:
        """Repeat the few failed tests without changes: those that pass now, alone and among all, are flaky."""
        names = tuple(test.name for test in outcome.red if before.requires(test.name))
        if not (outcome.repeats and outcome.complete and 0 < len(names) <= MAX_REPEATED_TESTS):
            return outcome
        alone = await self.run_suite(suite, names)
        lucky = alone.green.intersection(names) if isinstance(alone, SuiteOutcome) else frozenset()
        among_all = await self.run_suite(suite) if lucky else None
        return count_as_passed(outcome, lucky & among_all.green) if isinstance(among_all, SuiteOutcome) else outcome
