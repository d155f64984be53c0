"""Test what every `Evaluator` promises, checks and judges alike; override the files to suit one."""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from openkoi_hookspecs import (
    Baseline,
    Evaluation,
    Evaluator,
    ExecutionResult,
    Finding,
    Run,
    SupportsBaseline,
    Task,
    ToolCall,
)

FILES = {
    "README.md": "# Pond\n\nHolds fish.\n",
    "pond.py": "def depth(fish):\n    return len(fish) * undefined\n",
    "test_pond.py": "from pond import depth\n\n\ndef test_depth():\n    assert depth([]) == 0\n",
}
WORK = ExecutionResult(
    "The pond is deep enough for every fish.", diff="--- a/pond.py\n+++ b/pond.py\n", files=("pond.py",)
)


def workspace_state(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file of a workspace with its mode."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return {path.relative_to(root).as_posix(): (path.stat().st_mode, path.read_bytes()) for path in files}


def is_inside(finding: Finding, root: Path) -> bool:
    """Return whether a finding's location is empty, or the ``path[:line]`` of a file in the workspace."""
    path, _, line = finding.where.rpartition(":") if ":" in finding.where else (finding.where, "", "1")
    place = (root / path).resolve()
    return line.isdigit() and not Path(path).is_absolute() and place.is_relative_to(root.resolve()) and place.exists()


class EvaluatorContract:
    """Inherit it: ``class TestMine(EvaluatorContract): subject = Mine()``.

    ``files`` are in the workspace, ``work`` is evaluated, and ``says`` is the response of every model call.
    """

    subject: ClassVar[Evaluator]
    files: ClassVar[Mapping[str, str]] = FILES
    work: ClassVar[ExecutionResult] = WORK
    task: ClassVar[Task] = Task("Make the pond deeper")
    says: ClassVar[Sequence[str | ToolCall]] = ("Done.",)

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """Return a workspace with the files."""
        return self.write_files(tmp_path / "workspace")

    def write_files(self, root: Path) -> Path:
        """Write the files into a folder."""
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        root.mkdir(exist_ok=True)
        return root

    @asynccontextmanager
    async def open_run(self, root: Path) -> AsyncIterator[Run]:
        """Yield a run of its own in this workspace."""
        from openkoi_testing.scenario import make_run

        async with make_run(root, task=self.task, says=self.says) as run:
            yield run

    async def evaluate(self, root: Path, work: ExecutionResult | None = None) -> Evaluation | None:
        """Return the evaluator's result, in a run of its own."""
        async with self.open_run(root) as run:
            given = await self.take_baseline(run)
            return await self.subject.evaluate(replace(work or self.work, baseline=given), run)

    async def take_baseline(self, run: Run) -> Baseline | None:
        """Return the evaluator's baseline as a run passes it back, or None if there is none."""
        from openkoi_testing.scenario import logged_baseline

        return await logged_baseline(self.subject, run) if isinstance(self.subject, SupportsBaseline) else None

    def evaluate_or_empty(self, root: Path) -> Evaluation:
        """Return the result, or an empty evaluation when there is none."""
        return asyncio.run(self.evaluate(root)) or Evaluation()

    def test_it_answers_with_an_evaluation_or_stays_out_of_it(self, root: Path) -> None:
        assert isinstance(asyncio.run(self.evaluate(root)), Evaluation | None)

    def test_it_copes_with_an_empty_workspace(self, tmp_path: Path) -> None:
        root = tmp_path / "empty"
        root.mkdir()

        assert isinstance(asyncio.run(self.evaluate(root, ExecutionResult(""))), Evaluation | None)

    def test_it_can_be_asked_without_a_baseline(self, root: Path) -> None:
        async def story() -> Evaluation | None:
            async with self.open_run(root) as run:
                return await self.subject.evaluate(self.work, run)

        assert isinstance(asyncio.run(story()), Evaluation | None)

    def test_a_baseline_is_a_record_that_the_log_gives_back_as_it_was(self, root: Path) -> None:
        async def story() -> tuple[object, object]:
            async with self.open_run(root) as run:
                plain = await self.subject.baseline(run) if isinstance(self.subject, SupportsBaseline) else None
                return plain, await self.take_baseline(run)

        plain, logged = asyncio.run(story())

        assert isinstance(plain, Baseline | None)
        assert plain == logged

    def test_only_a_judge_gives_scores(self, root: Path) -> None:
        judges = getattr(self.subject, "judges", False)

        assert isinstance(judges, bool)
        assert judges or not self.evaluate_or_empty(root).scores

    def test_it_reads_files_and_never_changes_them(self, root: Path) -> None:
        before = workspace_state(root)

        asyncio.run(self.evaluate(root))

        assert before == workspace_state(root)

    def test_scores_are_shares_and_weigh_something(self, root: Path) -> None:
        for score in self.evaluate_or_empty(root).scores:
            assert score.dimension
            assert 0.0 <= score.value <= 1.0
            assert 0.0 < score.weight < math.inf

    def test_what_is_unknown_has_no_scores(self, root: Path) -> None:
        evaluation = self.evaluate_or_empty(root)

        assert not (evaluation.unavailable_reason and evaluation.scores)

    def test_each_check_has_a_name_of_its_own(self, root: Path) -> None:
        names = [check.name for check in self.evaluate_or_empty(root).checks]

        assert all(names)
        assert len(set(names)) == len(names)

    def test_findings_say_what_is_wrong_and_where_in_the_workspace(self, root: Path) -> None:
        for finding in self.evaluate_or_empty(root).findings:
            assert finding.title.strip()
            assert not finding.where or is_inside(finding, root), finding.where

    def test_the_same_work_gets_the_same_checks(self, root: Path) -> None:
        async def story() -> list[Evaluation]:
            async with self.open_run(root) as run:
                return [await self.subject.evaluate(self.work, run) or Evaluation() for _ in range(2)]

        first, second = asyncio.run(story())

        assert set(first.checks) == set(second.checks)

    def test_it_serves_two_runs_at_the_same_time(self, root: Path, tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.mkdir()

        async def together() -> list[Evaluation | None]:
            return list(await asyncio.gather(self.evaluate(root), self.evaluate(other)))

        alone = [asyncio.run(self.evaluate(each)) for each in (root, other)]
        both = asyncio.run(together())

        assert [check_results(one) for one in alone] == [check_results(one) for one in both]


def check_results(evaluation: Evaluation | None) -> set[tuple[str, bool]]:
    """Return the names of the checks and their results."""
    return {(check.name, check.passed) for check in evaluation.checks} if evaluation else set()
