"""The evaluator: run the project's tests, hold them against what was before. Knows the order of these, no runner."""

import asyncio
from dataclasses import replace
from typing import Annotated, ClassVar

from openkoi_hookspecs import Env, Evaluation, Run, Task, Work
from openkoi_hookspecs.events import Warned

from .baseline import Before, Ledger
from .outcome import Outcome, forgiven, joined
from .programs import Program, configured, program_for
from .project import Kind, kind_of, kinds_of
from .python import Python
from .verdict import verdict

ABOUT_TESTS = frozenset({"bugfix", "test", "testing"})
MOST_REPEATED = 20
NONE = Outcome(runner="tests")


class TestRunner:
    """Configured by ``[evaluators.testrunner]``: ``command``, ``seconds``, ``weight``, ``venv``."""

    __test__: ClassVar[bool] = False  # its name begins like that of a test class

    def __init__(
        self,
        *,
        command: str = "",
        seconds: float = 120.0,
        weight: float = 0.30,
        venv: Annotated[str, Env("VIRTUAL_ENV")] = "",
    ) -> None:
        self.command = command
        self.seconds = seconds
        self.weight = weight
        self.venv = venv
        self._ledger = Ledger()

    async def baseline(self, run: Run) -> None:
        """Note which tests there are before the first execution, and which of them are green."""
        kind = None if self.command else await asyncio.to_thread(kind_of, run.workspace)
        self._ledger.begin(run.id, await self._outcome(run), kind)

    async def evaluate(self, work: Work, run: Run) -> Evaluation | None:
        """Run the tests of the workspace; None when there are none and were none."""
        before = replace(self._ledger.of(run.id), all_count=about_tests(run.task))
        outcome = await self._again(await self._outcome(run) or NONE, before, run)
        self._ledger.advance(run.id, outcome)
        return verdict(outcome, before, self.weight)

    async def _outcome(self, run: Run, only: tuple[str, ...] = ()) -> Outcome | None:
        if self.command:
            return await configured(self.command).run(run, self.seconds)
        kinds = await asyncio.to_thread(kinds_of, run.workspace, self._ledger.of(run.id).kind)
        outcomes = [await self._by(kind, run, only) for kind in kinds]
        return joined([outcome for outcome in outcomes if outcome])

    async def _by(self, kind: Kind, run: Run, only: tuple[str, ...]) -> Outcome | None:
        if kind in {Kind.PYTEST, Kind.UNITTEST}:
            return await self._python(Python(kind=kind, seconds=self.seconds, venv=self.venv, only=only), run)
        return await self._program(program_for(kind, run.workspace), run)

    async def _python(self, python: Python, run: Run) -> Outcome | None:
        outcome = await python.run(run)
        if outcome is None:
            await run.emit(
                Warned("The tests were not run: no Python here has pytest. Install it where the project is.")
            )
        return outcome

    async def _program(self, program: Program, run: Run) -> Outcome | None:
        if program.there:
            return await program.run(run, self.seconds)
        await run.emit(Warned(f"The tests were not run: there is no {program.argv[0]}. Install it, or set a command."))
        return None

    async def _again(self, outcome: Outcome, before: Before, run: Run) -> Outcome:
        """Ask the few that failed once more, with nothing changed: what passes now, alone and among all, is flaky."""
        names = tuple(test.name for test in outcome.red if before.requires(test.name))
        if not (outcome.repeats and outcome.complete and 0 < len(names) <= MOST_REPEATED):
            return outcome
        alone = await self._outcome(run, names)
        lucky = alone.green.intersection(names) if alone else frozenset()
        among_all = await self._outcome(run) if lucky else None
        return forgiven(outcome, lucky & among_all.green) if among_all else outcome


def about_tests(task: Task) -> bool:
    """Whether red tests are what the task is about: then those that were red before count too."""
    return task.category.lower().replace("-", "") in ABOUT_TESTS
