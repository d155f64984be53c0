"""Test work that removes tests instead of fixing the code. Everything here really runs."""

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from openkoi_hookspecs import Evaluation, ExecutionResult, Task
from openkoi_testing import logged_baseline, make_run
from openkoi_testrunner import TestRunner

GREEN = "def test_ok():\n    assert 1\n"
RED = "from m import f\n\ndef test_bug():\n    assert f() == 2\n"
SKIP = "import pytest\n\npytestmark = pytest.mark.skip\n"
XFAIL = "import pytest\n\npytestmark = pytest.mark.xfail\n"
BUG, POND = Task("Fix the failing test", category="bugfix"), Task("Add a pond")
Files = Mapping[str, str | None]


def write(root: Path, files: Files) -> None:
    """Write the files, and delete those whose content is None."""
    for name, text in files.items():
        if text is None:
            (root / name).unlink()
        else:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)


def worked(root: Path, files: Files, changes: Files, task: Task, venv: str) -> Evaluation:
    """Return the evaluation of work that changed these files."""
    return tried(root, files, {"": changes}, task, venv)[""]


def tried(root: Path, files: Files, ways: Mapping[str, Files], task: Task, venv: str) -> dict[str, Evaluation]:
    """Return the evaluation of each variant of changing these files, in turn in one run."""

    async def story() -> dict[str, Evaluation | None]:
        runner = TestRunner(venv=venv)
        reply: dict[str, Evaluation | None] = {}
        async with make_run(root, task=task) as run:
            before = await logged_baseline(runner, run)
            for way, changes in ways.items():
                begin(root, files)
                write(root, changes)
                reply[way] = await runner.evaluate(ExecutionResult("done", baseline=before), run)
        return reply

    begin(root, files)
    reply = asyncio.run(story())
    return {way: evaluation for way, evaluation in reply.items() if evaluation}


def begin(root: Path, files: Files) -> None:
    """Replace the content of the folder by these files."""
    for path in root.iterdir():
        if path.is_file():
            path.unlink()
    write(root, files)


WAYS = ("deleted", "skipped", "excused", "ignored", "deselected", "renamed", "red")
RED_FILES = {f"test_{way}.py": RED for way in WAYS}
VALUES = "import m, pytest\n\n@pytest.mark.parametrize('x', [m.f(), m.f() + 1])\ndef test_x(x):\n    assert x\n"
NEEDY = "import {name}\n\ndef test_m():\n    assert {name}\n"
REPAIRED: Files = {
    "m.py": "def f():\n    return 1\n",
    "test_a.py": GREEN,
    "test_values.py": VALUES,
    "test_lost.py": NEEDY.format(name="lost"),
    "test_mended.py": NEEDY.format(name="mended"),
    **RED_FILES,
}
REPAIRS: Files = {
    "m.py": "def f():\n    return 5\n",
    "mended.py": "x = 1\n",
    "test_lost.py": None,
    "test_deleted.py": None,
    "test_skipped.py": SKIP + RED,
    "test_excused.py": XFAIL + RED,
    "test_renamed.py": RED.replace("test_bug", "check_bug"),
    "pytest.ini": "[pytest]\naddopts = --ignore=test_ignored.py -k 'not test_deselected'\n",
}
GREENS: Files = {
    "m.py": "def f():\n    return 1\n",
    **{f"test_{way}.py": GREEN for way in ("deleted", "skipped", "emptied", "kept")},
    "test_later.py": SKIP + RED,
}
CHANGES: Files = {
    "pond.py": "x = 1\n",
    "test_deleted.py": None,
    "test_skipped.py": SKIP + GREEN,
    "test_emptied.py": "x = 1\n",
    "test_later.py": None,
}


@pytest.fixture(scope="module")
def repair(tmp_path_factory: pytest.TempPathFactory, venv: str) -> dict[str, Evaluation]:
    ways = {"many": REPAIRS, "all": dict.fromkeys(name for name in REPAIRED if name != "m.py")}
    return tried(tmp_path_factory.mktemp("repair"), REPAIRED, ways, BUG, venv)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, venv: str) -> dict[str, Evaluation]:
    return tried(tmp_path_factory.mktemp("work"), GREENS, {"many": CHANGES, "all": dict.fromkeys(GREENS)}, POND, venv)


@pytest.mark.row("EVAL-02")
@pytest.mark.parametrize("way", WAYS)
def test_a_red_test_that_is_taken_away_is_not_mended(repair: Mapping[str, Evaluation], way: str) -> None:
    assert f"test_{way}.py::test_bug" in repair["many"].failing
    assert (True, False) == (repair["many"].red, repair["many"].green)


def test_many_that_are_taken_away_are_sent_back_by_their_names(repair: Mapping[str, Evaluation]) -> None:
    output = "\n".join(f"{finding.rule} {finding.detail}" for finding in repair["many"].open)

    assert [] == [way for way in WAYS if f"test_{way}.py::test_bug" not in output]


def test_a_file_that_can_be_read_again_is_mended_and_one_that_is_deleted_is_not(
    repair: Mapping[str, Evaluation],
) -> None:
    assert "test_lost.py" in repair["many"].failing
    assert not any(name.startswith("test_mended.py") for name in repair["many"].failing)


def test_values_in_names_may_change_with_the_code(repair: Mapping[str, Evaluation]) -> None:
    assert not any(name.startswith("test_values.py") for name in repair["many"].failing)


@pytest.mark.row("EVAL-02")
def test_a_green_test_that_is_taken_away_fails_whatever_the_task(work: Mapping[str, Evaluation]) -> None:
    gone = {f"test_{way}.py::test_ok" for way in ("deleted", "skipped", "emptied")}

    assert gone == work["many"].failing
    assert gone == {finding.rule for finding in work["many"].open}
    assert () == work["many"].scores


def test_a_test_that_was_skipped_before_is_not_missed(work: Mapping[str, Evaluation]) -> None:
    assert "test_later.py::test_bug" not in work["all"].failing


def test_all_that_are_taken_away_leave_something_to_judge(
    repair: Mapping[str, Evaluation], work: Mapping[str, Evaluation]
) -> None:
    assert {f"test_{way}.py::test_bug" for way in WAYS} <= repair["all"].failing
    assert work["all"].log.startswith("tests: 0 passed, 0 failed, 4 absent")


def test_a_broken_conftest_that_is_mended_is_not_missed(tmp_path: Path, venv: str) -> None:
    files = {"conftest.py": "raise OSError('dry')\n", "test_a.py": GREEN}

    assert frozenset() == worked(tmp_path, files, {"conftest.py": ""}, BUG, venv).failing


@pytest.mark.skipif(not shutil.which("make"), reason="needs make: apt-get install make")
def test_the_runner_of_before_runs_beside_a_new_one(tmp_path: Path, venv: str) -> None:
    files = {"Makefile": "test:\n\t@true\n"}
    ways: dict[str, Files] = {
        "both": {"test_a.py": GREEN},
        "broken": {"test_a.py": GREEN, "Makefile": "test:\n\t@false\n"},
    }

    reply = tried(tmp_path, files, ways, POND, venv)

    checks = {check.name: check.passed for check in reply["both"].checks}
    assert {"make test": True, "test_a.py::test_ok": True} == checks
    assert {"make test"} == reply["broken"].failing
