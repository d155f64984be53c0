"""Test the test runner on Python projects with pytest. Everything here really runs."""

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from importlib.util import source_hash
from pathlib import Path

import pytest

from openkoi_hookspecs import Check, Evaluation, ExecutionResult, Finding, Severity, Task
from openkoi_testing import logged_baseline, make_run
from openkoi_testrunner import TestRunner
from openkoi_testrunner.interpreters import python_in

WORK = ExecutionResult("done")
SETTINGS = "[tool.pytest.ini_options]\n"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Bench:
    """A project folder, and a test runner to run on it."""

    root: Path
    runner: TestRunner

    def evaluated(self, files: dict[str, str]) -> Evaluation | None:
        async def story() -> Evaluation | None:
            async with make_run(self.root) as run:
                return await self.runner.evaluate(WORK, run)

        write(self.root, files)
        return asyncio.run(story())

    def run_tests(self, files: dict[str, str]) -> Evaluation:
        evaluation = self.evaluated(files)
        assert evaluation is not None
        return evaluation

    def reworked(self, before: str, after: str, task: Task) -> Evaluation:
        async def story() -> Evaluation | None:
            async with make_run(self.root, task=task) as run:
                record = await logged_baseline(self.runner, run)
                write(self.root, {"test_a.py": after})
                return await self.runner.evaluate(replace(WORK, baseline=record), run)

        write(self.root, {"test_a.py": before})
        evaluation = asyncio.run(story())
        assert evaluation is not None
        return evaluation


@pytest.fixture
def bench(tmp_path: Path, venv: str) -> Bench:
    return Bench(tmp_path, TestRunner(venv=venv))


@pytest.mark.parametrize("loaded", [True, False])
def test_coverage_is_switched_off_where_its_plugin_is_loaded(
    bench: Bench, loaded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pytest rejects options of plugins that are not loaded, so plugins that are only installed get none."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "" if loaded else "1")
    option = "def pytest_addoption(parser):\n    parser.addoption('--no-cov', action='store_true')\n"
    test = f"def test_off(request):\n    assert {loaded} is request.config.getoption('--no-cov', False)\n"
    files = {
        "pyproject.toml": SETTINGS,
        "pytest_cov.py": "",
        "test_a.py": test,
        **({"conftest.py": option} if loaded else {}),
    }

    assert {"test_a.py::test_off": True} == outcomes(bench.run_tests(files))


def outcomes(evaluation: Evaluation) -> dict[str, bool]:
    return {check.name: check.passed for check in evaluation.checks}


def only(evaluation: Evaluation) -> Finding:
    (finding,) = evaluation.findings
    return finding


def test_a_project_without_tests_is_not_for_the_test_runner(bench: Bench) -> None:
    assert bench.evaluated({"koi.py": "x = 1\n", "README.md": "koi"}) is None


@pytest.mark.row("EVAL-02")
def test_tests_that_are_absent_are_not_tests_that_passed(bench: Bench) -> None:
    assert bench.evaluated({"pyproject.toml": SETTINGS, "koi.py": "x = 1\n"}) is None


def test_a_broken_conftest_fails_the_runner_itself(bench: Bench) -> None:
    files = {"conftest.py": "raise RuntimeError('no pond')\n", "test_a.py": "def test_a():\n    pass\n"}

    evaluation = bench.run_tests(files)

    assert {"pytest": False} == outcomes(evaluation)
    assert "pytest could not start: RuntimeError: no pond" == only(evaluation).title
    assert "conftest.py:1" == only(evaluation).where


def test_a_test_that_never_ends_is_named_and_fails(tmp_path: Path, venv: str) -> None:
    bench = Bench(tmp_path, TestRunner(venv=venv, seconds=4))
    body = "import time\n\ndef test_a():\n    pass\n\ndef test_slow():\n    time.sleep(60)\n"

    evaluation = bench.run_tests({"test_slow.py": body})

    assert {"test_slow.py::test_a": True, "test_slow.py::test_slow": False, "pytest": False} == outcomes(evaluation)
    assert "test_slow.py::test_slow timed out" == evaluation.findings[0].title


def test_a_test_that_kills_the_process_is_named_and_fails(bench: Bench) -> None:
    body = "import os\n\ndef test_a():\n    pass\n\ndef test_kills():\n    os._exit(0)\n\ndef test_b():\n    pass\n"

    evaluation = bench.run_tests({"test_kills.py": body})

    assert {"test_kills.py::test_a": True, "test_kills.py::test_kills": False, "pytest": False} == outcomes(evaluation)
    titles = [finding.title for finding in evaluation.findings]
    assert ["test_kills.py::test_kills ended the test process", "pytest crashed"] == titles


@pytest.mark.parametrize(("file", "text"), [("a.py", "x = 0\n"), ("test_a.py", "def test_a():\n    assert 0\n")])
def test_compiled_files_in_the_workspace_are_not_read(
    bench: Bench, venv: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    """They may come from other sources with the same time, size and hash as the current ones."""
    write(tmp_path, {"a.py": "x = 1\n", "test_a.py": "import a\n\ndef test_a():\n    assert a.x\n"})
    write(tmp_path, {file: text.replace("0", "1")})
    run_pytest = [str(python_in(Path(venv))), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    compiling = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(run_pytest, cwd=tmp_path, env=compiling, check=True, capture_output=True)
    then = (tmp_path / file).stat()
    (tmp_path / file).write_text(text)
    os.utime(tmp_path / file, ns=(then.st_atime_ns, then.st_mtime_ns))
    for compiled in (tmp_path / "__pycache__").glob(f"{Path(file).stem}.*-pytest-*"):
        data = compiled.read_bytes()
        compiled.write_bytes(data[:8] + source_hash(text.encode()) + data[16:])
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "compiled"))

    assert {"test_a.py::test_a": False} == outcomes(bench.run_tests({}))


def test_installed_modules_are_not_compiled_anew(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path_factory.mktemp("installed")
    write(installed, {"thing.py": "there = True\n"})
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([sys.executable, "-c", "import thing"], cwd=installed, env=environment, check=True)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
    monkeypatch.setenv("PYTHONPATH", str(installed))

    assert {"test_a.py::test_a": True} == outcomes(bench.run_tests({"test_a.py": COMPILES}))


COMPILES = """\
import sys

compiled = []
sys.addaudithook(lambda event, args: compiled.append(str(args[1])) if event == "compile" else None)
import thing

def test_a():
    assert thing.there
    assert not [name for name in compiled if "thing" in name]
"""


def test_a_projects_own_options_hold_and_nothing_is_written_into_the_workspace(bench: Bench) -> None:
    options = 'addopts = "-x --lf --junitxml=report.xml -m \'not slow\'"\nmarkers = ["slow"]\n'
    body = """
import pytest

@pytest.mark.slow
def test_slow(): assert False

def test_a(): assert False

def test_b(): pass
"""
    files = {"pyproject.toml": SETTINGS + options, "tests/test_a.py": body, "src/koi/__init__.py": ""}

    evaluation = bench.run_tests(files)

    assert {"tests/test_a.py::test_a": False, "tests/test_a.py::test_b": True} == outcomes(evaluation)
    assert set(files) == {p.relative_to(bench.root).as_posix() for p in bench.root.rglob("*") if p.is_file()}


def test_what_was_red_before_does_not_count_and_what_was_green_or_is_new_does(bench: Bench) -> None:
    before = "def test_old():\n    assert False\n\ndef test_good():\n    pass\n"
    after = "def test_old():\n    assert 0\n\ndef test_new():\n    assert False\n\ndef test_good():\n    assert 0\n"

    evaluation = bench.reworked(before, after, Task("Add a pond"))

    assert Check("test_a.py::test_old", passed=False, required=False, file="test_a.py") in evaluation.checks
    assert {"test_a.py::test_new", "test_a.py::test_good"} == evaluation.failing
    assert {"test_a.py::test_new", "test_a.py::test_good"} == {finding.rule for finding in evaluation.open}
    (old,) = (finding for finding in evaluation.findings if finding.severity is Severity.SUGGESTION)
    assert "test_a.py::test_old" == old.detail
