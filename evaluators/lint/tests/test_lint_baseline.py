"""Test lint's baseline, and its reports about linters that no longer run. Ruff really runs."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_hookspecs import Baseline, Check, Evaluation, ExecutionResult, Finding, Run, Severity
from openkoi_lint import Lint
from openkoi_lint.baseline import LintBaseline, LinterBaseline, make_baseline, read_baseline
from openkoi_lint.messages import LinterOutput
from openkoi_testing import Scenario, logged_baseline, make_run

WITHOUT_CHECKPOINTS = Scenario(settings={"use.checkpoints": "none"})

UNDEFINED = Finding("Undefined name", rule="F821", where="pond.py:1")
ODD = Finding("\ud800 is odd", Severity.SUGGESTION, rule="E1", where="b \udcff.py:2")
BROKEN = Finding("mypy fails: no dictionary", rule="mypy")
HEARD = [
    LinterOutput("ruff", (UNDEFINED, UNDEFINED, ODD)),
    LinterOutput("mypy", (BROKEN,), wide=True),
    LinterOutput("tsc in web"),
]


class Fixed:
    """An evaluator whose baseline is given."""

    def __init__(self, baseline: Baseline) -> None:
        self.known = baseline

    async def baseline(self, run: Run) -> Baseline:
        return self.known


def logged(root: Path, baseline: Baseline) -> Baseline:
    """The baseline as read back from the log."""

    async def story() -> Baseline | None:
        async with make_run(root, stage=WITHOUT_CHECKPOINTS) as run:
            return await logged_baseline(Fixed(baseline), run)

    reply = asyncio.run(story())
    assert reply is not None
    return reply


def test_a_record_that_was_in_the_log_says_the_same(tmp_path: Path) -> None:
    record = make_baseline(HEARD)

    before = read_baseline(logged(tmp_path, record), ("pond.py",))

    assert read_baseline(record, ("pond.py",)) == before
    assert ["mypy", "ruff", "tsc in web"] == sorted(before.linters)
    assert ["ruff", "tsc in web"] == sorted(before.working)
    assert (True, False) == (before.linters["mypy"].broke, before.linters["mypy"].sound)
    assert (UNDEFINED,) == before.new_findings(LinterOutput("ruff", (UNDEFINED, UNDEFINED, ODD, UNDEFINED)))


def test_without_a_record_all_that_is_found_is_new() -> None:
    assert LintBaseline(files=("pond.py",)) == read_baseline(None, ("pond.py",))
    assert (UNDEFINED,) == read_baseline(None, ("pond.py",)).new_findings(LinterOutput("ruff", (UNDEFINED, ODD)))


def test_of_a_large_project_a_record_stays_small_and_no_two_findings_are_alike() -> None:
    many = tuple(Finding(f"finding {n}", rule="E", where=f"{'deep/' * 20}{n}.py:1") for n in range(5_000))

    (then,) = read_baseline(make_baseline([LinterOutput("ruff", many)]), ()).linters.values()

    assert LinterBaseline(dict.fromkeys(then.seen, 1)) == then
    assert (5_000, True) == (len(then.seen), max(map(len, then.seen)) <= 16)


def worked(root: Path, before: dict[str, str], lint: Lint, work: Callable[[Path], object]) -> Evaluation | None:
    """The evaluation of work on these files."""

    async def story() -> Evaluation | None:
        async with make_run(root, stage=WITHOUT_CHECKPOINTS) as run:
            baseline = await logged_baseline(lint, run)
            work(root)
            return await lint.evaluate(ExecutionResult("done", files=tuple(before), baseline=baseline), run)

    for name, text in before.items():
        (root / name).write_text(text, encoding="utf-8")
    return asyncio.run(story())


MYPY = {"mypy.ini": "[mypy]\n", "pond.py": "x: int = 1\n"}


def test_a_linter_whose_configuration_the_work_removed_is_a_failing_check(tmp_path: Path) -> None:
    reply = worked(tmp_path, MYPY, Lint(), lambda root: (root / "mypy.ini").unlink())

    assert reply is not None
    assert (Check("ruff", passed=True), Check("mypy", passed=False)) == reply.checks
    assert [("mypy no longer runs", "Restore its configuration.")] == [(one.title, one.fix) for one in reply.findings]
    assert (True, False, ()) == (reply.red, reply.green, reply.missing)


@pytest.mark.parametrize("command", ["sleep 60", "exit 127"], ids=["too slow", "not there"])
def test_a_linter_that_ran_before_and_could_not_be_run_is_missing(tmp_path: Path, command: str) -> None:
    lint = Lint(commands={"spell": f"test -e before || {{ {command}; }}"}, seconds=0.5)

    reply = worked(tmp_path, {"before": ""}, lint, lambda root: (root / "before").unlink())

    assert reply is not None
    assert (("spell did not run",), ()) == (reply.missing, reply.checks)
    assert (False, False) == (reply.red, reply.green)


def test_a_linter_that_could_not_be_run_before_either_is_not_missing(tmp_path: Path) -> None:
    lint = Lint(commands={"spell": "sleep 60"}, seconds=0.3)

    assert worked(tmp_path, {"pond.txt": ""}, lint, lambda root: None) is None


def test_a_linter_with_nothing_left_to_look_at_is_nothing(tmp_path: Path) -> None:
    def leave_python(root: Path) -> None:
        for name in MYPY:
            (root / name).unlink()
        (root / "pond.go").write_text("package pond\n")

    assert worked(tmp_path, MYPY, Lint(), leave_python) is None
