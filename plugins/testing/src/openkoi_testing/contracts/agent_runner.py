"""Test what every `AgentRunner` promises, by real runs of an agent that names it. Models are scripted."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from openkoi_hookspecs import (
    Agent,
    AgentRunner,
    Check,
    Evaluation,
    ExecutionResult,
    Finding,
    Koi,
    Limits,
    NextAction,
    Plan,
    Record,
    Result,
    Run,
    RunStoppedError,
    StopReason,
    Task,
    events,
)
from openkoi_scripted import Line, Scripted

from ..scenario import Scenario

NAME = "subject"
TIMEOUT_SECONDS = 30.0
POINTS = 5  # how many places in a run it is stopped at


class FailingOnce:
    """Rejects the first work, so that it is done again."""

    def __init__(self) -> None:
        self.calls = 0

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Fail the first work, pass the second."""
        self.calls += 1
        if self.calls > 1:
            return Evaluation(checks=(Check("it was done twice", passed=True),))
        return Evaluation(checks=(Check("it was done twice", passed=False),), findings=(Finding("It was done once"),))


class Observed:
    """The runner under test, with the requests it received and its results."""

    def __init__(self, runner: AgentRunner) -> None:
        self.runner = runner
        self.plans: list[Plan] = []
        self.works: list[object] = []

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Pass it on."""
        self.plans.append(plan)
        work = await self.runner.run(plan, run)
        self.works.append(work)
        return work


class AgentRunnerContract:
    """Inherit it: ``class TestMine(AgentRunnerContract): subject = Mine()``.

    ``agent`` does ``task`` in a workspace with these ``files``. The model answers with the lines of ``says`` in turn,
    and repeats the last one. The same lines must lead to the same answer.
    """

    subject: ClassVar[AgentRunner]
    agent: ClassVar[Agent] = Agent(name="tester")
    task: ClassVar[Task] = Task("Make the pond deeper")
    says: ClassVar[Sequence[Line]] = ("Done.",)
    files: ClassVar[Mapping[str, str]] = {}

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """Return a workspace with the files."""
        root = tmp_path / "workspace"
        root.mkdir()
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return root

    def make_task(self, **limits: object) -> Task:
        """Return the task for the agent that names the runner; by default, it is done once."""
        bound = replace(self.task.limits or Limits(), **{"iterations": 0, **limits})  # type: ignore[arg-type]  # a limit's
        return replace(self.task, agent=replace(self.agent, worker=NAME), limits=bound)

    def scenario(self, runner: AgentRunner, **evaluators: object) -> Scenario:
        """Return the scenario of the run; workers that its members name are installed as well."""
        others = {"workers": {NAME: runner}}
        return Scenario(model=Scripted(self.says), others=others, evaluators=evaluators, installed=INSTALLED)

    def solve(self, root: Path, home: Path, task: Task, **evaluators: object) -> tuple[Result, Observed]:
        """Run a task; return its result, and the requests to the runner."""
        observed = Observed(self.subject)

        async def story() -> Result:
            async with self.scenario(observed, **evaluators).build_app(root, home) as koi:
                return await koi.solve(task)

        return asyncio.run(story()), observed

    def test_it_returns_the_last_words_and_why_it_ended(self, root: Path, tmp_path: Path) -> None:
        result, observed = self.solve(root, tmp_path / "home", self.make_task())

        [work] = observed.works
        assert isinstance(work, ExecutionResult)
        assert isinstance(work.ended, StopReason)
        assert result.text.strip()

    def test_what_is_found_wrong_is_done_again_with_the_findings(self, root: Path, tmp_path: Path) -> None:
        task = self.make_task(iterations=2)
        result, observed = self.solve(root, tmp_path / "home", task, failing=FailingOnce())

        if result.iterations[0].evaluation is None:
            pytest.skip("Its work changes nothing, so nothing is evaluated.")
        assert 2 == len(observed.plans) == len(result.iterations)
        assert observed.plans[1].feedback

    def test_two_runs_at_the_same_time_do_not_disturb_each_other(self, root: Path, tmp_path: Path) -> None:
        async def together() -> list[Result]:
            async with self.scenario(self.subject).build_app(root, tmp_path / "home") as koi:
                folders = [tmp_path / "one", tmp_path / "other"]
                tasks = [replace(self.make_task(), workspace=str(copy_workspace(root, folder))) for folder in folders]
                return list(await asyncio.gather(*map(koi.solve, tasks)))

        one, other = asyncio.run(together())

        assert one.run != other.run
        assert one.text.strip()
        assert other.text.strip()

    @pytest.mark.parametrize("limit", [{"calls": 0}, {"tokens": 1}], ids=["calls", "tokens"])
    def test_at_a_limit_it_ends_and_the_run_has_a_result(
        self, limit: Mapping[str, object], root: Path, tmp_path: Path
    ) -> None:
        """``LimitExceededError`` is raised, or the work reports that it ended there."""
        result, _ = self.solve(root, tmp_path / "home", self.make_task(**limit))
        asked = result.cost.calls > 0

        assert not asked
        ends = (NextAction.ABORT_BUDGET, NextAction.ACCEPT, NextAction.ACCEPT_BEST)
        assert result.decision.action in ends, result.decision

    def test_it_ends_at_once_when_its_run_is_stopped(self, root: Path, tmp_path: Path) -> None:
        async def story() -> float:
            async with self.scenario(self.subject).build_app(root, tmp_path / "home") as koi:
                began = time.monotonic()
                await stop_after(koi, self.make_task(), 1)
                return time.monotonic() - began

        assert TIMEOUT_SECONDS > asyncio.run(story())

    @pytest.mark.parametrize("point", range(POINTS))
    def test_a_run_that_was_stopped_is_resumed_to_the_same_answer(self, point: int, root: Path, tmp_path: Path) -> None:
        """Nothing is paid for twice: the model's answers are in the log."""
        whole, _ = self.solve(copy_workspace(root, tmp_path / "whole"), tmp_path / "other", self.make_task())

        async def story() -> Result:
            async with self.scenario(self.subject).build_app(root, tmp_path / "home") as koi:
                run = await stop_after(koi, self.make_task(), 2 * point + 1)
                return await koi.resume(run).result() if isinstance(run, str) else run

        resumed = asyncio.run(story())

        assert (whole.text, whole.decision.action) == (resumed.text, resumed.decision.action)
        assert whole.cost.calls == resumed.cost.calls


INSTALLED = frozenset({"tools", "sandboxes", "checkpoints", "compactors", "questions", "budgets", "workers"})


def copy_workspace(root: Path, folder: Path) -> Path:
    """Return a copy of a workspace."""
    from shutil import copytree

    return Path(copytree(root, folder))


async def stop_after(koi: Koi, task: Task, count: int) -> str | Result:
    """Begin a task, and stop it after some durable records; return its id, or its result if it ended before."""
    seen = 0

    def note(record: Record) -> None:
        nonlocal seen
        seen += record.event.durable and not isinstance(record.event, events.UsageRecorded | events.RunCompleted)
        if seen == count:
            handle.stop()

    handle = koi.begin(task)
    leave = koi.listen(note)
    with suppress(RunStoppedError):
        return await handle.result()
    leave()
    return handle.id
