"""Test projects with several runners, and with runners that cannot run. Whatever is installed here really runs."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from openkoi_hookspecs import Evaluation, ExecutionResult, Severity, Task
from openkoi_testing import logged_baseline, make_run
from openkoi_testrunner import TestRunner
from openkoi_testrunner.missing_dependencies import NotRun
from openkoi_testrunner.project import RunnerKind
from openkoi_testrunner.results import CaseResult, SuiteOutcome, relative_outcome
from openkoi_testrunner.suite_runner import SuiteRunner, start_time_limits
from openkoi_testrunner.suites import Suite, suites_of

PYTEST = "[tool.pytest.ini_options]\n"
GREEN = "def test_a():\n    pass\n"
NPM = '{"scripts": {"test": "node check.js"}}'
NEEDY = '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "3"}}'
BOTH = {
    "api/pyproject.toml": PYTEST,
    "api/test_a.py": GREEN,
    "web/package.json": NPM,
    "web/check.js": "",
    "web/test/fixtures/package.json": NPM,
}
PROJECTS: dict[str, tuple[dict[str, str], list[Suite]]] = {
    "two languages side by side": (BOTH, [Suite(RunnerKind.PYTEST, "api"), Suite(RunnerKind.NPM, "web")]),
    "two in one folder": (
        {"pytest.ini": "", "Cargo.toml": "", "Makefile": "test:\n"},
        [Suite(RunnerKind.PYTEST), Suite(RunnerKind.CARGO)],
    ),
    "the outermost runs what is in it": (
        {"package.json": NPM, "packages/a/package.json": NPM, "Cargo.toml": "", "crates/a/Cargo.toml": ""},
        [Suite(RunnerKind.CARGO), Suite(RunnerKind.NPM)],
    ),
    "each module of go": ({"go.mod": "", "tools/go.mod": ""}, [Suite(RunnerKind.GO), Suite(RunnerKind.GO, "tools")]),
    "a loose test keeps python together": (
        {**BOTH, "test_b.py": GREEN},
        [Suite(RunnerKind.PYTEST), Suite(RunnerKind.NPM, "web")],
    ),
    "a recipe": ({"justfile": "check:\n"}, [Suite(RunnerKind.JUST)]),
    "no recipe": ({"justfile": "test := 3\n"}, []),
    "check, when there is no test": ({"Makefile": "check: all\n"}, [Suite(RunnerKind.MAKE)]),
}


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def worked(root: Path, files: Mapping[str, str], changes: Mapping[str, str], runner: TestRunner) -> Evaluation | None:
    """Return the evaluation of work that changed these files."""
    return reworked(root, files, [changes], runner)[0]


def reworked(
    root: Path, files: Mapping[str, str], changes: Sequence[Mapping[str, str]], runner: TestRunner
) -> list[Evaluation | None]:
    """Return the evaluation of each change, in turn."""

    async def story() -> list[Evaluation | None]:
        async with make_run(root, task=Task("Add a pond")) as run:
            before = await logged_baseline(runner, run)
            reply = []
            for change in changes:
                write(root, change)
                reply.append(await runner.evaluate(ExecutionResult("done", files=tuple(change), baseline=before), run))
        return reply

    write(root, files)
    return asyncio.run(story())


def outcomes(evaluation: Evaluation) -> dict[str, bool]:
    return {check.name: check.passed for check in evaluation.checks}


@pytest.mark.parametrize("name", PROJECTS)
def test_each_runner_is_found_below_its_own_manifest(tmp_path: Path, name: str) -> None:
    files, expected = PROJECTS[name]
    write(tmp_path, files)

    assert expected == list(suites_of(tmp_path))


def test_names_and_places_are_those_of_the_workspace() -> None:
    red = (
        CaseResult("t", passed=False, title="t fails", where="a.js:3"),
        CaseResult("npm test", passed=False, title="npm test fails"),
    )

    outcome = relative_outcome(SuiteOutcome(runner="npm test", tests=red, skipped=("s",)), "web")

    output = [(test.name, test.title, test.where) for test in outcome.tests]
    assert [("web/t", "web/t fails", "web/a.js:3"), ("npm test in web", "web/npm test fails", "")] == output
    assert ("web/s",) == outcome.skipped


@pytest.mark.skipif(not shutil.which("npm"), reason="needs npm: apt-get install npm")
@pytest.mark.row("EVAL-02")
def test_what_the_work_touched_is_run_first_and_the_rest_when_it_is_green(tmp_path: Path, venv: str) -> None:
    changes = [{"web/check.js": "throw new Error('dry')\n"}, {"web/check.js": "1\n"}]

    broken, good = reworked(tmp_path, BOTH, changes, TestRunner(venv=venv))

    assert broken is not None
    assert {"npm test in web": False} == outcomes(broken)
    assert ["web/check.js:1"] == [finding.where for finding in broken.findings]
    assert good is not None
    assert {"npm test in web": True, "api/test_a.py::test_a": True} == outcomes(good)


@pytest.mark.skipif(not shutil.which("node"), reason="needs node: apt-get install nodejs")
@pytest.mark.row("EVAL-02")
def test_packages_that_are_not_installed_are_no_silence(tmp_path: Path) -> None:
    evaluation = worked(tmp_path, {"package.json": NEEDY}, {"a.js": "1\n"}, TestRunner())

    assert evaluation is not None
    assert evaluation.score is None
    title = "The npm tests were not run: its packages are not installed: node_modules is missing"
    assert ((title,), "", False) == (evaluation.missing, evaluation.unavailable_reason, evaluation.green)
    (finding,) = evaluation.findings
    assert (title, Severity.IMPORTANT, "Run `npm install` in the project.") == (
        finding.title,
        finding.severity,
        finding.fix,
    )


def test_what_the_work_has_nothing_to_do_with_is_only_suggested(tmp_path: Path, venv: str) -> None:
    files = {"pytest.ini": "", "test_a.py": GREEN, "package.json": NEEDY}

    evaluation = worked(tmp_path, files, {"b.py": "x = 1\n"}, TestRunner(venv=venv))

    assert evaluation is not None
    assert ((), True) == (evaluation.missing, evaluation.green)
    assert [Severity.SUGGESTION] == [finding.severity for finding in evaluation.findings]
    assert "NOT RUN The npm tests were not run" in evaluation.log


@pytest.mark.row("EVAL-02")
def test_python_tests_that_cannot_import_what_they_need_are_told(tmp_path: Path, venv: str) -> None:
    evaluation = worked(tmp_path, {"test_a.py": "import no_such_thing\n" + GREEN}, {}, TestRunner(venv=venv))

    assert evaluation is not None
    assert any("cannot start: modules they import are not installed" in f.title for f in evaluation.findings)


def test_there_is_an_end_to_all_patience(tmp_path: Path) -> None:
    async def story() -> SuiteOutcome | NotRun:
        async with make_run(tmp_path) as run:
            return await SuiteRunner(run=run, time_limits=start_time_limits(10, 0), command="true").run_suite(
                Suite(RunnerKind.COMMAND)
            )

    came = asyncio.run(story())

    assert isinstance(came, NotRun)
    assert "the limit of 0 seconds for all tests was reached" == came.why


@pytest.mark.skipif(not shutil.which("go"), reason="needs go: apt-get install golang-go")
def test_a_flaky_test_of_another_language_is_asked_again_too(tmp_path: Path) -> None:
    seen = tmp_path / uuid4().hex  # another program each time: go keeps what passed
    body = f"""package calc

import (
	"os"
	"testing"
)

func TestSometimes(t *testing.T) {{
	if _, err := os.Stat("{seen}"); err != nil {{
		os.WriteFile("{seen}", nil, 0600)
		t.Error("dry")
	}}
}}
"""
    (tmp_path / "pond").mkdir()

    async def story() -> Evaluation | None:
        async with make_run(tmp_path / "pond") as run:
            return await TestRunner().evaluate(ExecutionResult("done"), run)

    write(tmp_path / "pond", {"go.mod": "module example.com/calc\n\ngo 1.19\n", "a_test.go": body})
    evaluation = asyncio.run(story())

    assert evaluation is not None
    assert {"example.com/calc.TestSometimes": True} == outcomes(evaluation)
    assert ["example.com/calc.TestSometimes is flaky"] == [finding.title for finding in evaluation.findings]
