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
    return tried(root, files, {"": changes}, task, venv)[""]


def tried(root: Path, files: Files, ways: Mapping[str, Files], task: Task, venv: str) -> dict[str, Evaluation]:
    """Return what is said of each way to change these files, one after the other in one run."""

    async def story() -> dict[str, Evaluation | None]:
        runner = TestRunner(venv=venv)
        said: dict[str, Evaluation | None] = {}
        async with lend(root, task=task) as run:
            await runner.baseline(run)
            for way, changes in ways.items():
                begin(root, files)
                write(root, changes)
                said[way] = await runner.evaluate(Work("done"), run)
        return said

    begin(root, files)
    said = asyncio.run(story())
    return {way: evaluation for way, evaluation in said.items() if evaluation}


def begin(root: Path, files: Files) -> None:
    """Leave these files in the folder, and no others."""
    for path in root.iterdir():
        if path.is_file():
            path.unlink()
    write(root, files)


AWAY: dict[str, Files] = {
    "deleted": {"test_b.py": None},
    "skipped": {"test_b.py": SKIP + RED},
    "excused": {"test_b.py": XFAIL + RED},
    "ignored": {"pytest.ini": "[pytest]\naddopts = --ignore=test_b.py\n"},
    "deselected": {"pytest.ini": "[pytest]\naddopts = -k ok\n"},
    "renamed": {"test_b.py": RED.replace("test_bug", "check_bug")},
    "all": {"test_a.py": None, "test_b.py": None},
}


GONE: dict[str, Files] = {
    way: {"test_a.py": change, "pond.py": "x = 1\n"}
    for way, change in {"deleted": None, "skipped": SKIP + GREEN, "emptied": "x = 1\n"}.items()
}


@pytest.fixture(scope="module")
def away(tmp_path_factory: pytest.TempPathFactory, venv: str) -> dict[str, Evaluation]:
    return tried(tmp_path_factory.mktemp("away"), FILES, AWAY, BUG, venv)


@pytest.fixture(scope="module")
def gone(tmp_path_factory: pytest.TempPathFactory, venv: str) -> dict[str, Evaluation]:
    files = {"test_a.py": GREEN, "test_c.py": GREEN.replace("ok", "c")}
    return tried(tmp_path_factory.mktemp("gone"), files, GONE, POND, venv)


@pytest.mark.row("EVAL-02")
@pytest.mark.parametrize("way", AWAY)
def test_a_red_test_that_is_taken_away_is_not_mended(away: Mapping[str, Evaluation], way: str) -> None:
    assert "test_b.py::test_bug" in away[way].failing
    assert "test_b.py::test_bug" in {finding.rule for finding in away[way].open}
    assert 0.5 >= (away[way].score or 0.0)


@pytest.mark.row("EVAL-02")
@pytest.mark.parametrize("way", GONE)
def test_a_green_test_that_is_taken_away_fails_whatever_the_task(gone: Mapping[str, Evaluation], way: str) -> None:
    assert {"test_a.py::test_ok"} == gone[way].failing
    assert [0.5] == [score.value for score in gone[way].scores]


def test_the_only_test_that_is_taken_away_leaves_something_to_judge(tmp_path: Path, venv: str) -> None:
    evaluation = worked(tmp_path, {"test_a.py": GREEN}, {"test_a.py": None}, POND, venv)

    assert {"test_a.py::test_ok"} == evaluation.failing
    assert evaluation.log.startswith("tests: 0 passed, 0 failed, 1 absent")


def test_a_test_that_was_skipped_before_is_not_missed(tmp_path: Path, venv: str) -> None:
    evaluation = worked(tmp_path, {"test_a.py": GREEN, "test_b.py": SKIP + RED}, {"test_b.py": None}, POND, venv)

    assert frozenset() == evaluation.failing


def test_a_file_that_can_be_read_again_is_mended_and_one_that_is_deleted_is_not(tmp_path: Path, venv: str) -> None:
    files = {"test_a.py": GREEN, "test_b.py": "import m\n\ndef test_m():\n    assert m\n"}
    ways: dict[str, Files] = {"deleted": {"test_b.py": None}, "mended": {"m.py": "x = 1\n"}}

    said = tried(tmp_path, files, ways, BUG, venv)

    assert frozenset() == said["mended"].failing
    assert {"test_b.py"} == said["deleted"].failing


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
    ways: dict[str, Files] = {
        "both": {"test_a.py": GREEN},
        "broken": {"test_a.py": GREEN, "Makefile": "test:\n\t@false\n"},
    }

    said = tried(tmp_path, files, ways, POND, venv)

    checks = {check.name: check.passed for check in said["both"].checks}
    assert {"make test": True, "test_a.py::test_ok": True} == checks
    assert {"make test"} == said["broken"].failing
