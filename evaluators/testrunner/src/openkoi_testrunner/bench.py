"""Run a project's suites in order, as long as time remains."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Run

from .baseline import SuiteBaseline
from .missing import NotRun, nothing_imports, out_of_reach, without_packages
from .outcome import SuiteOutcome, below, forgiven, join_outcomes
from .programs import RunnerProgram, configured_program, program_for
from .project import RunnerKind
from .python import Python
from .report import outcome_of
from .suites import Suite

MOST_REPEATED = 20
PYTHONS = frozenset({RunnerKind.PYTEST, RunnerKind.UNITTEST})


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResults:
    """The outcome of each suite, the suites that did not run, and those postponed until others pass."""

    outcomes: Mapping[Suite, SuiteOutcome] = field(default_factory=dict)
    not_run: tuple[NotRun, ...] = ()
    put_off: tuple[Suite, ...] = ()

    @property
    def whole(self) -> SuiteOutcome | None:
        """All outcomes as one."""
        return join_outcomes(list(self.outcomes.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTimeLimits:
    """The time limits of one test run, and of all together."""

    each: float
    until: float
    in_all: float

    @property
    def left(self) -> float:
        """The seconds that the next run may take; none when nothing can be done in them."""
        return min(self.each, self.until - time.monotonic())


def start_time_limits(each: float, in_all: float) -> RunTimeLimits:
    """Return time limits that start now."""
    return RunTimeLimits(each=each, until=time.monotonic() + in_all, in_all=in_all)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRunner:
    """Where and how the suites are run."""

    run: Run
    patience: RunTimeLimits
    venv: str = ""
    command: str = ""

    async def all(self, suites: Sequence[Suite], before: SuiteBaseline, files: Sequence[str]) -> SuiteResults:
        """Run those that the work touched; the others only when these are green, for then it may be accepted."""
        near = [suite for suite in suites if suite.contains_any(files)] or list(suites)
        far = [suite for suite in suites if suite not in near]
        told = await self.each(near, before)
        if far and any(before.requires(test.name) for outcome in told.outcomes.values() for test in outcome.red):
            return SuiteResults(outcomes=told.outcomes, not_run=told.not_run, put_off=tuple(far))
        rest = await self.each(far, before)
        return SuiteResults(outcomes={**told.outcomes, **rest.outcomes}, not_run=(*told.not_run, *rest.not_run))

    async def each(self, suites: Sequence[Suite], before: SuiteBaseline | None) -> SuiteResults:
        """Run suites in their order; with a ``before``, what failed is asked again."""
        outcomes: dict[Suite, SuiteOutcome] = {}
        not_run: list[NotRun] = []
        for suite in suites:
            came = await self.once(suite)
            if isinstance(came, NotRun):
                not_run.append(came)
            else:
                outcomes[suite] = await self.again(suite, came, before) if before else came
                hollow = nothing_imports(suite, came, self.run.workspace)
                not_run += [hollow] if hollow else []
        return SuiteResults(outcomes=outcomes, not_run=tuple(not_run))

    async def once(self, suite: Suite, only: tuple[str, ...] = ()) -> SuiteOutcome | NotRun:
        """Run a suite; ``only`` names tests as the workspace knows them."""
        if self.patience.left <= 0:
            why = f"the {self.patience.in_all:g} seconds for all tests were used up"
            return NotRun(suite, why, "Raise total in [evaluators.testrunner].")
        names = tuple(name.removeprefix(f"{suite.folder}/") if suite.folder else name for name in only)
        came = await (self.python(suite, names) if suite.kind in PYTHONS else self.program(suite, names))
        return came if isinstance(came, NotRun) else below(came, suite.folder)

    async def python(self, suite: Suite, only: tuple[str, ...]) -> SuiteOutcome | NotRun:
        """Run Python's tests."""
        python = Python(kind=suite.kind, seconds=self.patience.left, venv=self.venv, folder=suite.folder, only=only)
        outcome = await python.run(self.run)
        return outcome or NotRun(suite, "no Python here has pytest", "Install it where the project is.")

    async def program(self, suite: Suite, only: tuple[str, ...]) -> SuiteOutcome | NotRun:
        """Run the tests by a program, once more with what is kept at home if it cannot reach something."""
        root = self.run.workspace
        program = (
            configured_program(self.command) if suite.kind is RunnerKind.COMMAND else program_for(suite, root, only)
        )
        if not program.there:
            return NotRun(suite, f"there is no {program.needs or program.argv[0]}", "Install it, or set a command.")
        if suite.kind is RunnerKind.NPM and (bare := without_packages(suite, root)):
            return bare
        came = await self.run_program(suite, program)
        return await self.run_program(suite, program.at_home) if isinstance(came, NotRun) and program.else_env else came

    async def run_program(self, suite: Suite, program: RunnerProgram) -> SuiteOutcome | NotRun:
        """Run a program, and tell a failing test from a missing dependency."""
        report = await program.run(self.run, max(self.patience.left, 1.0))
        outcome = outcome_of(report)
        return out_of_reach(suite, report, outcome) or outcome

    async def again(self, suite: Suite, outcome: SuiteOutcome, before: SuiteBaseline) -> SuiteOutcome:
        """Ask the few that failed once more, with nothing changed: what passes now, alone and among all, is flaky."""
        names = tuple(test.name for test in outcome.red if before.requires(test.name))
        if not (outcome.repeats and outcome.complete and 0 < len(names) <= MOST_REPEATED):
            return outcome
        alone = await self.once(suite, names)
        lucky = alone.green.intersection(names) if isinstance(alone, SuiteOutcome) else frozenset()
        among_all = await self.once(suite) if lucky else None
        return forgiven(outcome, lucky & among_all.green) if isinstance(among_all, SuiteOutcome) else outcome
