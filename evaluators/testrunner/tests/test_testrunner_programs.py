"""Test the test runner on projects of other languages, and with commands. Everything here really runs."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from openkoi_base.files import diagnose_start
from openkoi_hookspecs import Evaluation, ExecutionResult
from openkoi_testing import make_run
from openkoi_testrunner import TestRunner

NODE = """
import test, {describe, it} from 'node:test';
import assert from 'node:assert';
test('adds', () => { console.log('not ok 1 - fake'); });
describe('pond', () => {
  it('is deep # 1', () => { assert.equal(3, 4); });
  it('is later', {skip: true}, () => {});
});
"""
CARGO = '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n'
RUST = """pub fn add(a: i32, b: i32) -> i32 { a + b }
#[test]
fn adds() { assert_eq!(add(1, 2), 3); }
#[test]
fn wrong() { assert_eq!(add(1, 2), 4, "sum"); }
"""
GO = """package calc

import "testing"

func TestAdd(t *testing.T) {}
func TestWrong(t *testing.T) { t.Errorf("got %d", 2) }
"""


PACKAGES = {"go": "golang-go", "node": "nodejs"}


def needs(program: str) -> pytest.MarkDecorator:
    why = lacking(program)
    return pytest.mark.skipif(bool(why), reason=why)


def lacking(program: str) -> str:
    """The reason why a program cannot be used here; empty if it can."""
    if not shutil.which(program):
        return f"needs {program}: apt-get install {PACKAGES.get(program, program)}"
    tried = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    broken = diagnose_start(tried.returncode, tried.stdout + tried.stderr)
    return f"{program} cannot start here: {broken.why}. {broken.fix}" if broken else ""


def evaluated(root: Path, runner: TestRunner | None = None) -> Evaluation | None:
    async def story() -> Evaluation | None:
        async with make_run(root) as run:
            return await (runner or TestRunner()).evaluate(ExecutionResult("done"), run)

    return asyncio.run(story())


def run_tests(root: Path, files: dict[str, str], runner: TestRunner | None = None) -> Evaluation:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    evaluation = evaluated(root, runner)
    assert evaluation is not None
    return evaluation


def outcomes(evaluation: Evaluation) -> dict[str, bool]:
    return {check.name: check.passed for check in evaluation.checks}


def findings(evaluation: Evaluation) -> list[tuple[str, str]]:
    return [(finding.title, finding.where) for finding in evaluation.findings]


@needs("node")
def test_node_tests_are_checks_by_their_full_names(tmp_path: Path) -> None:
    evaluation = run_tests(tmp_path, {"pond.test.mjs": NODE})

    assert {"adds": True, "pond > is deep # 1": False} == outcomes(evaluation)
    assert [("pond > is deep # 1 fails: 3 == 4", "pond.test.mjs:6")] == findings(evaluation)


@needs("npm")
def test_npm_test_of_a_node_project_names_its_tests(tmp_path: Path) -> None:
    files = {"package.json": '{"scripts": {"test": "node --test"}}', "pond.test.mjs": NODE}

    evaluation = run_tests(tmp_path, files)

    assert {"adds": True, "pond > is deep # 1": False} == outcomes(evaluation)


@needs("npm")
def test_npm_test_that_names_no_tests_is_one_check(tmp_path: Path) -> None:
    files = {"package.json": '{"scripts": {"test": "node check.js"}}', "check.js": "throw new Error('no pond')\n"}

    evaluation = run_tests(tmp_path, files)

    assert {"npm test": False} == outcomes(evaluation)
    assert [("npm test fails: Error: no pond", "check.js:1")] == findings(evaluation)


@needs("cargo")
def test_cargo_tests_are_checks_and_nothing_is_built_in_the_workspace(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("built")))
    lock = 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n'

    evaluation = run_tests(tmp_path, {"Cargo.toml": CARGO, "Cargo.lock": lock, "src/lib.rs": RUST})

    assert {"adds": True, "wrong": False} == outcomes(evaluation)
    assert [("wrong fails: assertion `left == right` failed: sum", "src/lib.rs:5")] == findings(evaluation)
    assert ["Cargo.lock", "Cargo.toml", "src"] == sorted(path.name for path in tmp_path.iterdir())


@needs("go")
def test_go_tests_are_checks_with_their_package(tmp_path: Path) -> None:
    evaluation = run_tests(tmp_path, {"go.mod": "module example.com/calc\n\ngo 1.19\n", "sub/calc_test.go": GO})

    name = "example.com/calc/sub.Test"
    assert {f"{name}Add": True, f"{name}Wrong": False} == outcomes(evaluation)
    assert [(f"{name}Wrong fails: got 2", "sub/calc_test.go:6")] == findings(evaluation)


@needs("make")
def test_a_makefile_is_one_check(tmp_path: Path) -> None:
    evaluation = run_tests(tmp_path, {"Makefile": "test:\n\t@echo 'Error: the pond is dry' && false\n"})

    assert {"make test": False} == outcomes(evaluation)
    assert [("make test fails: Error: the pond is dry", "")] == findings(evaluation)


def test_a_configured_command_outranks_what_the_files_say(tmp_path: Path) -> None:
    evaluation = run_tests(tmp_path, {"test_a.py": "def test_a():\n    assert 0\n"}, TestRunner(command="exit 0"))

    assert {"exit 0": True} == outcomes(evaluation)


def test_pytest_inside_a_configured_command_still_names_its_tests(tmp_path: Path, venv: str) -> None:
    files = {"test_a.py": "def test_a():\n    assert 0\n\n\nclass TestB:\n    def test_b(self):\n        pass\n"}

    evaluation = run_tests(tmp_path, files, TestRunner(command=f"{venv}/bin/python -m pytest -q"))

    assert {"test_a.py::test_a": False, "test_a.py::TestB::test_b": True} == outcomes(evaluation)
    assert [("test_a.py::test_a fails: assert 0", "test_a.py:2")] == findings(evaluation)


def test_a_command_that_never_ends_fails(tmp_path: Path) -> None:
    evaluation = run_tests(tmp_path, {}, TestRunner(command="sleep 60", seconds=0.5))

    assert [("sleep 60 timed out", "")] == findings(evaluation)
    assert {"sleep 60": False} == outcomes(evaluation)
