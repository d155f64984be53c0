"""Work that takes tests away instead of mending what they test. Everything here really runs."""

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from openkoi_hookspecs import Evaluation, Task, Work
from openkoi_testing import lend
from openkoi_testrunner import TestRunner

GREEN = "def test_ok():\n    assert 1\n"
RED = "from m import f\n\ndef test_bug():\n    assert f() == 2\n"
FILES = {"m.py": "def f():\n    return 1\n", "test_a.py": GREEN, "test_b.py": RED}
SKIP = "import pytest\n\npytestmark = pytest.mark.skip\n"
XFAIL = "import pytest\n\npytestmark = pytest.mark.xfail\n"
BUG, POND = Task("Fix the failing test", category="bugfix"), Task("Add a pond")
Files = Mapping[str, str | None]


def write(root: Path, files: Files) -> None:
    """Write the files, and delete those that are None."""
    for name, text in files.items():
        if text is None:
            (root / name).unlink()
        else:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)


def worked(root: Path, files: Files, changes: Files, task: Task, venv: str) -> Evaluation:
    """Return what is said of work that changed these files."""

    async def story() -> Evaluation | None:
        runner = TestRunner(venv=venv)
        async with lend(root, task=task) as run:
            await runner.baseline(run)
            write(root, changes)
            return await runner.evaluate(Work("done"), run)

    write(root, files)
    evaluation = asyncio.run(story())
    assert evaluation is not None
    return evaluation


AWAY: dict[str, Files] = {
    "deleted": {"test_b.py": None},
    "skipped": {"test_b.py": SKIP + RED},
    "excused": {"test_b.py": XFAIL + RED},
    "ignored": {"pytest.ini": "[pytest]\naddopts = --ignore=test_b.py\n"},
    "deselected": {"pytest.ini": "[pytest]\naddopts = -k ok\n"},
    "renamed": {"test_b.py": RED.replace("test_bug", "check_bug")},
    "all": {"test_a.py": None, "test_b.py": None},
}


@pytest.mark.row("EVAL-02")
@pytest.mark.parametrize("way", AWAY)
def test_a_red_test_that_is_taken_away_is_not_mended(tmp_path: Path, venv: str, way: str) -> None:
    evaluation = worked(tmp_path, FILES, AWAY[way], BUG, venv)

    assert "test_b.py::test_bug" in evaluation.failing
    assert "test_b.py::test_bug" in {finding.rule for finding in evaluation.open}
    assert 0.5 >= (evaluation.score or 0.0)


@pytest.mark.row("EVAL-02")
@pytest.mark.parametrize("change", [None, SKIP + GREEN, "x = 1\n"], ids=["deleted", "skipped", "emptied"])
def test_a_green_test_that_is_taken_away_fails_whatever_the_task(tmp_path: Path, venv: str, change: str | None) -> None:
    files = {"test_a.py": GREEN, "test_c.py": GREEN.replace("ok", "c")}

    evaluation = worked(tmp_path, files, {"test_a.py": change, "pond.py": "x = 1\n"}, POND, venv)

    assert {"test_a.py::test_ok"} == evaluation.failing
    assert [0.5] == [score.value for score in evaluation.scores]


def test_the_only_test_that_is_taken_away_leaves_something_to_judge(tmp_path: Path, venv: str) -> None:
    evaluation = worked(tmp_path, {"test_a.py": GREEN}, {"test_a.py": None}, POND, venv)

    assert {"test_a.py::test_ok"} == evaluation.failing
    assert evaluation.log.startswith("tests: 0 passed, 0 failed, 1 absent")


def test_a_test_that_was_skipped_before_is_not_missed(tmp_path: Path, venv: str) -> None:
    evaluation = worked(tmp_path, {"test_a.py": GREEN, "test_b.py": SKIP + RED}, {"test_b.py": None}, POND, venv)

    assert frozenset() == evaluation.failing


def test_a_file_that_can_be_read_again_is_mended_and_one_that_is_deleted_is_not(tmp_path: Path, venv: str) -> None:
    files = {"test_a.py": GREEN, "test_b.py": "import m\n\ndef test_m():\n    assert m\n"}
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()

    mended = worked(tmp_path / "one", files, {"m.py": "x = 1\n"}, BUG, venv)
    deleted = worked(tmp_path / "two", files, {"test_b.py": None}, BUG, venv)

    assert frozenset() == mended.failing
    assert {"test_b.py"} == deleted.failing


def test_a_broken_conftest_that_is_mended_is_not_missed(tmp_path: Path, venv: str) -> None:
    files = {"conftest.py": "raise OSError('dry')\n", "test_a.py": GREEN}

    assert frozenset() == worked(tmp_path, files, {"conftest.py": ""}, BUG, venv).failing


def test_values_in_names_may_change_with_the_code(tmp_path: Path, venv: str) -> None:
    body = "import m, pytest\n\n@pytest.mark.parametrize('x', [m.f(), m.f() + 1])\ndef test_x(x):\n    assert x\n"
    files = {"m.py": FILES["m.py"], "test_x.py": body}

    assert frozenset() == worked(tmp_path, files, {"m.py": "def f():\n    return 5\n"}, BUG, venv).failing


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
def test_the_runner_of_before_runs_beside_a_new_one(tmp_path: Path, venv: str) -> None:
    files = {"Makefile": "test:\n\t@true\n"}
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()

    both = worked(tmp_path / "one", files, {"test_a.py": GREEN}, POND, venv)
    broken = worked(tmp_path / "two", files, {"test_a.py": GREEN, "Makefile": "test:\n\t@false\n"}, POND, venv)

    assert {"make test": True, "test_a.py::test_ok": True} == {check.name: check.passed for check in both.checks}
    assert {"make test"} == broken.failing
