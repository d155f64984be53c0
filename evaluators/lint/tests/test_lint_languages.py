"""Test linters of other languages: where they run, and how their output is parsed."""

import asyncio
import shutil
from pathlib import Path

import pytest

from openkoi_hookspecs import Evaluation, ExecutionResult, Severity
from openkoi_lint import Lint
from openkoi_lint.clippy import read_clippy
from openkoi_lint.eslint import read_eslint
from openkoi_lint.govet import read_vet
from openkoi_lint.linters import find_all_linters
from openkoi_lint.messages import normalize_message
from openkoi_lint.shellcheck import read_shellcheck
from openkoi_lint.tsc import read_tsc
from openkoi_testing import Scenario, logged_baseline, make_run

WITHOUT_CHECKPOINTS = Scenario(settings={"use.checkpoints": "none"})

ESLINT = """noise
[{"filePath": "/koi/a.js", "messages": [
{"ruleId": "no-undef", "severity": 2, "message": "'x' is not defined.", "line": 3},
{"ruleId": "max-lines", "severity": 1, "message": "File has too many lines (301). Maximum allowed is 300.", "line": 9},
{"ruleId": null, "fatal": true, "severity": 2, "message": "Parsing error: Unexpected token", "line": 1}]}]
"""
CLIPPY = """{"reason": "compiler-message", "message": {"level": "warning", "message": "unneeded `return` statement",
 "code": {"code": "clippy::needless_return"}, "spans": [{"is_primary": true, "file_name": "a.rs", "line_start": 3}]}}
{"reason": "compiler-message", "message": {"level": "error", "message": "cannot find value `c` in this scope",
 "code": {"code": "E0425"}, "spans": [{"is_primary": true, "file_name": "a.rs", "line_start": 2}]}}
{"reason": "build-finished", "success": false}
"""
VET = """# example.com/calc/sub
{
	"example.com/calc/sub": {
		"printf": [
			{
				"posn": "/koi/sub/p.go:5:12",
				"message": "fmt.Printf format %d has arg \\"x\\" of wrong type string"
			}
		]
	}
}
# example.com/calc
vet: sub/q.go:3:12: undeclared name: undefinedThing
"""
SHELL = """[{"file": "a.sh", "line": 2, "level": "info", "code": 2086, "message": "Double quote."},
{"file": "a.sh", "line": 3, "level": "error", "code": 1009, "message": "The mentioned error."}]
"""
TSC = "a.ts(1,14): error TS2322: Type 'string' is no 'number'.\n  more\nb.ts(2,1): error TS1005: ';' expected.\n"


def one_line(text: str) -> str:
    """Join objects that span several lines, as the linters print them."""
    return text.replace(",\n", ",").replace("[\n", "[")


def summarize_findings(findings: object) -> list[tuple[str, str, str]]:
    assert isinstance(findings, tuple)
    return [(finding.rule, finding.where.rpartition("/")[2], finding.severity.value) for finding in findings]


def test_eslint_is_read(tmp_path: Path) -> None:
    findings = read_eslint(one_line(ESLINT).replace("/koi", str(tmp_path)), tmp_path)

    assert [
        ("no-undef", "a.js:3", "important"),
        ("max-lines", "a.js:9", "suggestion"),
        ("eslint", "a.js:1", "blocker"),
    ] == summarize_findings(findings)
    assert "File has too many lines (…). Maximum allowed is …." == findings[1].title
    assert "File has too many lines (301). Maximum allowed is 300." == findings[1].detail


def test_clippy_is_read(tmp_path: Path) -> None:
    findings = read_clippy(one_line(CLIPPY), tmp_path)

    assert [("clippy::needless_return", "a.rs:3", "suggestion"), ("E0425", "a.rs:2", "blocker")] == summarize_findings(
        findings
    )


def test_go_vet_is_read(tmp_path: Path) -> None:
    findings = read_vet(VET.replace("/koi", str(tmp_path)), tmp_path)

    assert [("printf", "p.go:5", "important"), ("go", "q.go:3", "blocker")] == summarize_findings(findings)


def test_shellcheck_is_read(tmp_path: Path) -> None:
    assert [("SC2086", "a.sh:2", "suggestion"), ("SC1009", "a.sh:3", "blocker")] == summarize_findings(
        read_shellcheck(one_line(SHELL), tmp_path)
    )


def test_tsc_is_read(tmp_path: Path) -> None:
    assert [("TS2322", "a.ts:1", "important"), ("TS1005", "b.ts:2", "blocker")] == summarize_findings(
        read_tsc(TSC, tmp_path)
    )


@pytest.mark.parametrize("text", ["", "[", "{", "[3]", "{}", '{"a": 3}', '[{"messages": [{}]}]', "{\n3\n}"])
def test_what_is_cut_off_is_passed_over(tmp_path: Path, text: str) -> None:
    for read in (read_eslint, read_clippy, read_vet, read_shellcheck, read_tsc):
        assert () == read(text, tmp_path)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Line too long (124 > 120)", "Line too long (… > …)"),
        ("`f` is too complex (11 > 10)", "`f` is too complex (… > …)"),
        ("Expected 2 arguments, but got 1.", "Expected … arguments, but got …."),
        ("Type '1' is no `u32`, see PEP8 and E501", "Type '1' is no `u32`, see PEP8 and E501"),
    ],
)
def test_counts_are_left_out_of_titles_and_names_are_not(reply: str, expected: str) -> None:
    assert expected == normalize_message(reply)


def test_what_is_configured_and_not_installed_has_no_command(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "eslint.config.mjs").touch()
    (tmp_path / "web" / "tsconfig.json").touch()

    wanted = find_all_linters(tmp_path, "", ())

    assert [("eslint", (), "web"), ("tsc", (), "web")] == [(one.name, one.argv, one.folder) for one in wanted]


def test_findings_of_a_folder_are_placed_in_the_workspace(tmp_path: Path) -> None:
    program = tmp_path / "web" / "node_modules" / ".bin" / "tsc"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "a.ts(1,1): error TS2322: no"\nexit 2\n')
    program.chmod(0o755)
    (tmp_path / "web" / "tsconfig.json").touch()
    (tmp_path / "web" / "a.ts").touch()

    evaluation = evaluated(tmp_path)

    assert {"tsc in web"} == evaluation.failing
    assert ["web/a.ts:1"] == [finding.where for finding in evaluation.findings]


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck: apt-get install shellcheck")
def test_shell_scripts_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("#!/bin/sh\ncd $1\n")

    found = {(finding.rule, finding.where, finding.severity) for finding in evaluated(tmp_path).findings}

    assert ("SC2164", "a.sh:2", Severity.IMPORTANT) in found


@pytest.mark.skipif(not shutil.which("sh"), reason="there is no sh here")
def test_a_linter_that_was_useless_before_says_nothing(tmp_path: Path) -> None:
    async def story() -> Evaluation | None:
        lint = Lint(commands={"spell": "echo no dictionary; exit 2"})
        async with make_run(tmp_path, stage=WITHOUT_CHECKPOINTS) as run:
            return await lint.evaluate(ExecutionResult("done", baseline=await logged_baseline(lint, run)), run)

    assert asyncio.run(story()) is None


def evaluated(root: Path) -> Evaluation:
    async def story() -> Evaluation | None:
        async with make_run(root, stage=WITHOUT_CHECKPOINTS) as run:
            return await Lint().evaluate(ExecutionResult("done"), run)

    evaluation = asyncio.run(story())
    assert evaluation is not None
    return evaluation
