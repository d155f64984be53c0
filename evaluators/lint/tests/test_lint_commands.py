"""Test linters from the user's configuration, and linters that cannot run."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from openkoi_hookspecs import Check, Evaluation, ExecutionResult, Finding, Severity
from openkoi_lint import Lint
from openkoi_lint.baseline import LintBaseline, make_baseline, read_baseline
from openkoi_lint.evaluation import evaluate_findings
from openkoi_lint.linters import find_all_linters
from openkoi_lint.messages import LinterOutput, normalize_message
from openkoi_lint.mypy import read_mypy
from openkoi_lint.parse_lines import read_lines
from openkoi_lint.ruff import severity_of
from openkoi_testing import Scenario, make_run

WITHOUT_CHECKPOINTS = Scenario(settings={"use.checkpoints": "none"})

GRAVE = Finding("Undefined name", rule="F821", where="pond.py:1")
MILD = Finding("Too long", Severity.SUGGESTION, rule="E501", where="pond.py:2")


def evaluated(root: Path, lint: Lint) -> Evaluation | None:
    async def story() -> Evaluation | None:
        async with make_run(root, stage=WITHOUT_CHECKPOINTS) as run:
            return await lint.evaluate(ExecutionResult("done"), run)

    return asyncio.run(story())


@pytest.mark.parametrize("commands", [{"spell": "cat said; exit 1"}, ["cat said; exit 1"]])
def test_a_configured_command_is_a_linter(tmp_path: Path, commands: Mapping[str, str]) -> None:
    (tmp_path / "said").write_text("pond.js:3:1: error: no such fish\npond.js:4: warning: shallow\n3 files checked\n")
    (tmp_path / "pond.js").touch()

    evaluation = evaluated(tmp_path, Lint(commands=commands))

    assert evaluation is not None
    assert [False] == [check.passed for check in evaluation.checks]
    expected = [("pond.js:3", Severity.IMPORTANT), ("pond.js:4", Severity.SUGGESTION)]
    assert expected == [(finding.where, finding.severity) for finding in evaluation.findings]


def test_a_command_that_fails_without_a_word_we_know_is_told_in_its_own(tmp_path: Path) -> None:
    evaluation = evaluated(tmp_path, Lint(commands={"spell": "echo no dictionary; exit 2"}))

    assert evaluation is not None
    assert ["spell fails: no dictionary"] == [finding.title for finding in evaluation.findings]


@pytest.mark.parametrize("command", ["no_such_program", "sleep 60"])
def test_a_check_that_was_not_run_is_left_out(tmp_path: Path, command: str) -> None:
    assert evaluated(tmp_path, Lint(commands=[command], seconds=0.5)) is None


def test_the_lines_of_other_linters_are_understood(tmp_path: Path) -> None:
    for name in ("a.ts", "b.js", "a b.go"):
        (tmp_path / name).touch()
    text = (
        "a.ts(3,5): error TS2322: no fish\n"
        f"{tmp_path}/b.js\n"
        "  1:7  error    'x' is never used  no-unused-vars\n"
        "  2:1  warning  odd                style\n"
        "a b.go:9:2: shadowed\n"
        "nowhere.py:1: no such file\n"
        "https://example.com:80: not a file\n"
    )

    output = [(finding.where, finding.severity.value) for finding in read_lines(text, tmp_path)]

    assert [
        ("a.ts:3", "important"),
        ("b.js:1", "important"),
        ("b.js:2", "suggestion"),
        ("a b.go:9", "important"),
    ] == output


def test_mypy_names_the_rule_and_notes_are_left_out(tmp_path: Path) -> None:
    errors = 'a.py:1: error: Name "x" already defined on line 3  [no-redef]\nb.py:1: error: no  [syntax]\n'
    text = f"a.py:2:5: note: here\n{errors}"

    output = [(finding.rule, finding.where, finding.title) for finding in read_mypy(text, tmp_path)]

    assert [("no-redef", "a.py:1", 'Name "x" already defined on line …'), ("syntax", "b.py:1", "no")] == output


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("invalid-syntax", Severity.BLOCKER),
        ("E999", Severity.BLOCKER),
        ("F401", Severity.IMPORTANT),
        ("B006", Severity.IMPORTANT),
        ("S101", Severity.IMPORTANT),
        ("E501", Severity.SUGGESTION),
        ("FBT001", Severity.SUGGESTION),
        ("SIM102", Severity.SUGGESTION),
        ("I001", Severity.SUGGESTION),
    ],
)
def test_a_rule_is_as_grave_as_what_it_finds(code: str, expected: Severity) -> None:
    assert expected is severity_of(code)


@pytest.mark.parametrize(("found", "passed"), [((), True), ((MILD,) * 500, True), ((GRAVE,), False)])
def test_errors_fail_the_check_style_does_not_and_neither_is_a_score(found: tuple[Finding, ...], passed: bool) -> None:
    evaluation = evaluate_findings([LinterOutput("ruff", found)], LintBaseline())

    assert evaluation is not None
    assert (Check("ruff", passed),) == evaluation.checks
    assert () == evaluation.scores


def test_what_a_syntax_error_hid_is_not_new() -> None:
    hidden = LinterOutput("mypy", (Finding("no", Severity.BLOCKER, rule="syntax", where="fish.py:1"),), wide=True)
    before = read_baseline(make_baseline([hidden]), files=("fish.py",))
    now = LinterOutput("mypy", (Finding("old", rule="misc", where="old.py:1"),), wide=True)

    evaluation = evaluate_findings([now], before)

    assert evaluation is not None
    assert () == evaluation.findings


def test_messages_stay_the_same_when_lines_move() -> None:
    assert "Redefinition of `x` from line …" == normalize_message("Redefinition of `x` from line 12")


def test_mypy_is_asked_only_where_it_is_configured(tmp_path: Path) -> None:
    (tmp_path / "pond.py").touch()
    without = [linter.name for linter in find_all_linters(tmp_path, "", ())]
    (tmp_path / "pyproject.toml").write_text("[tool.mypy]\nstrict = true\n")

    assert ["ruff"] == without
    assert ["ruff", "mypy"] == [linter.name for linter in find_all_linters(tmp_path, "", ())]


def test_the_projects_own_linter_is_taken_first(tmp_path: Path) -> None:
    program = tmp_path / ".venv" / "bin" / "ruff"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    (tmp_path / "pond.py").touch()

    assert str(program) == find_all_linters(tmp_path, "", ())[0].argv[0]


@pytest.mark.parametrize("module", ["ruff", "mypy"])
def test_a_module_of_the_project_is_not_run_as_the_linter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(Path(sys.executable).resolve())  # an environment with the modules, and no programs of them
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", str(python.parent))
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text("[tool.mypy]\nstrict = true\n")
    (project / f"{module}.py").write_text("open('stolen', 'w')\n")

    commands = [one.project_command() for one in find_all_linters(project, "", ())]
    for command in commands:
        subprocess.run(command, cwd=project, capture_output=True, check=False)

    assert [str(python)] * 2 == [command[0] for command in commands]
    assert not (project / "stolen").exists()
