"""Test lint on Python projects. Ruff and mypy really run."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from openkoi_hookspecs import Check, Evaluation, ExecutionResult, Severity
from openkoi_lint import Lint
from openkoi_testing import Scenario, logged_baseline, make_run

WITHOUT_CHECKPOINTS = Scenario(settings={"use.checkpoints": "none"})

CONFIGURED = '[tool.ruff.lint]\nselect = ["E", "F", "I"]\n'
UNUSED = "import os\n"


@dataclass(frozen=True, slots=True)
class Bench:
    """A project folder, and lint to run on it."""

    root: Path
    lint: Lint = field(default_factory=Lint)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def evaluated(self, files: dict[str, str], work: ExecutionResult = ExecutionResult("done")) -> Evaluation | None:  # noqa: B008  # frozen
        async def story() -> Evaluation | None:
            async with make_run(self.root, stage=WITHOUT_CHECKPOINTS) as run:
                return await self.lint.evaluate(work, run)

        self.write(files)
        return asyncio.run(story())

    def lint_files(self, files: dict[str, str], changed: Sequence[str] = ()) -> Evaluation:
        evaluation = self.evaluated(files, ExecutionResult("done", files=tuple(changed)))
        assert evaluation is not None
        return evaluation

    def reworked(self, before: dict[str, str], after: dict[str, str]) -> Evaluation:
        async def story() -> Evaluation | None:
            async with make_run(self.root, stage=WITHOUT_CHECKPOINTS) as run:
                before = await logged_baseline(self.lint, run)
                self.write(after)
                return await self.lint.evaluate(ExecutionResult("done", files=tuple(after), baseline=before), run)

        self.write(before)
        evaluation = asyncio.run(story())
        assert evaluation is not None
        return evaluation


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def titles(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.where, finding.title) for finding in evaluation.findings]


@pytest.mark.row("EVAL-02", "EVAL-25", "EVAL-28")
def test_an_error_fails_the_linters_check_and_is_told_where_it_is(bench: Bench) -> None:
    evaluation = bench.lint_files({"pyproject.toml": CONFIGURED, "pond.py": UNUSED})

    assert (Check("ruff", passed=False),) == evaluation.checks
    assert [("F401", "pond.py:1", "`os` imported but unused")] == titles(evaluation)
    assert "Remove unused import: `os`" == evaluation.findings[0].fix
    assert Severity.IMPORTANT is evaluation.findings[0].severity
    assert () == evaluation.scores
    assert "ruff: 1 new\n  pond.py:1 F401 `os` imported but unused" == evaluation.log


def test_style_is_suggested_and_fails_nothing(bench: Bench) -> None:
    evaluation = bench.lint_files({"pyproject.toml": CONFIGURED, "pond.py": f"x = '{'x' * 100}'\n"})

    assert (Check("ruff", passed=True),) == evaluation.checks
    assert [Severity.SUGGESTION] == [finding.severity for finding in evaluation.findings]


def test_code_that_cannot_be_read_is_a_blocker(bench: Bench) -> None:
    evaluation = bench.lint_files({"pond.py": "def broken(:\n    pass\n"})

    assert {"pond.py:1"} <= {finding.where for finding in evaluation.blockers}
    assert frozenset({"ruff"}) == evaluation.failing


def test_a_project_without_rules_is_held_to_what_is_surely_wrong(bench: Bench) -> None:
    evaluation = bench.lint_files({"pond.py": "import os\n\nx = undefined\n"})

    assert [("F821", "pond.py:3", "Undefined name `undefined`")] == titles(evaluation)


def test_only_files_that_the_work_changed_count(bench: Bench) -> None:
    files = {"pyproject.toml": CONFIGURED, "old.py": UNUSED, "new.py": UNUSED}

    evaluation = bench.lint_files(files, changed=["new.py"])

    assert ["new.py:1"] == [finding.where for finding in evaluation.findings]


def test_only_what_is_new_counts(bench: Bench) -> None:
    before = {"pyproject.toml": CONFIGURED, "pond.py": "import os\n"}

    evaluation = bench.reworked(before, {"pond.py": "# a pond\nimport os\nimport re\n"})

    assert [("F401", "pond.py:3", "`re` imported but unused")] == titles(evaluation)


def test_another_of_the_same_kind_is_new(bench: Bench) -> None:
    before = {"pond.py": "x = undefined\n"}

    evaluation = bench.reworked(before, {"pond.py": "x = undefined\ny = undefined\n"})

    assert [("F821", "pond.py:2", "Undefined name `undefined`")] == titles(evaluation)


def test_a_configuration_that_ruff_refuses_fails_its_check(bench: Bench) -> None:
    evaluation = bench.reworked({"pond.py": "x = 1\n"}, {"ruff.toml": "selec = 1\n"})

    assert frozenset({"ruff"}) == evaluation.failing
    assert evaluation.findings[0].title.startswith("ruff fails: ")


def test_many_findings_are_read_from_the_whole_output(bench: Bench) -> None:
    body = "".join(f"import module_number_{n}\n" for n in range(400))

    evaluation = bench.lint_files({"pyproject.toml": CONFIGURED, "pond.py": body})

    assert evaluation.log.startswith("ruff: 40")
    assert "… and 2" in evaluation.log.split("\n")[-1]
    assert 30 == len(evaluation.findings)
    assert ("More new linter findings are not listed", "371 more") == (
        evaluation.findings[-1].title,
        evaluation.findings[-1].detail,
    )
    assert frozenset({"ruff"}) == evaluation.failing
    assert len(evaluation.log.encode()) <= 8192


def test_nothing_is_written_into_the_workspace(bench: Bench) -> None:
    files = {"pyproject.toml": CONFIGURED + "[tool.mypy]\n", "pond.py": "x: int = 'a'\n"}

    bench.lint_files(files)

    assert set(files) == {path.relative_to(bench.root).as_posix() for path in bench.root.rglob("*")}


def test_mypy_tells_what_a_change_breaks_elsewhere(bench: Bench) -> None:
    before = {
        "mypy.ini": "[mypy]\nfiles = pond.py, fish.py\n",
        "pond.py": "def depth(n: int) -> int:\n    return n\n",
        "fish.py": "from pond import depth\n\ndepth(1)\nold: int = ''\n",
    }

    evaluation = bench.reworked(before, {"pond.py": "def depth(n: str) -> str:\n    return n\n"})

    assert frozenset({"mypy"}) == evaluation.failing
    assert [("arg-type", "fish.py:3")] == [(finding.rule, finding.where) for finding in evaluation.findings]


def test_a_project_without_python_is_not_for_lint(bench: Bench) -> None:
    assert bench.evaluated({"README.md": "a pond"}) is None
