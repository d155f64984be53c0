"""Test how an outcome of tests becomes an evaluation, and its wording."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from openkoi_hookspecs import Baseline, Check, Run, Severity, Task
from openkoi_testing import logged_baseline, make_run
from openkoi_testrunner.baseline import SuiteBaseline, make_baseline, parse_baseline
from openkoi_testrunner.evaluation import evaluate_outcome, not_run_findings
from openkoi_testrunner.evaluator import about_tests
from openkoi_testrunner.locations import deepest_location, first_location
from openkoi_testrunner.messages import error_line, last_part, stable_line
from openkoi_testrunner.missing_dependencies import NotRun
from openkoi_testrunner.project import RunnerKind
from openkoi_testrunner.reporter_protocol import ReporterOutput, ReporterRecord, outcome_of, parse_output
from openkoi_testrunner.results import CaseResult, SuiteOutcome, count_as_passed, merge_tests
from openkoi_testrunner.suites import Suite

SUITE = Suite(RunnerKind.PYTEST)
GOOD = CaseResult("good", passed=True)
BAD = CaseResult("bad", passed=False, title="bad fails")


class Fixed:
    """An evaluator whose baseline is given."""

    def __init__(self, baseline: Baseline) -> None:
        self.known = baseline

    async def baseline(self, run: Run) -> Baseline:
        return self.known


def outcome(*tests: CaseResult, complete: bool = True) -> SuiteOutcome:
    return SuiteOutcome(runner="pytest", tests=tests, complete=complete)


@pytest.mark.parametrize("category", ["bugfix", "bug-fix", "Test", "testing"])
def test_red_tests_are_what_these_tasks_are_about(category: str) -> None:
    assert about_tests(Task("x", category=category))


@pytest.mark.parametrize("category", ["", "code", "refactor"])
def test_red_tests_are_not_what_other_tasks_are_about(category: str) -> None:
    assert not about_tests(Task("x", category=category))


def test_what_turned_green_has_to_stay_green() -> None:
    record = make_baseline({SUITE: outcome(BAD)})

    assert not parse_baseline(record).requires("bad")
    assert parse_baseline(record, since=(Check("bad", passed=True),)).requires("bad")


def test_a_new_test_is_required_however_often_it_fails() -> None:
    assert parse_baseline(make_baseline({}), since=(Check("bad", passed=False),) * 3).requires("bad")


def test_what_another_evaluator_saw_pass_says_nothing_of_a_test() -> None:
    record = replace(make_baseline({SUITE: outcome(BAD)}), evaluator="testrunner")

    assert not parse_baseline(record, since=(Check("bad", passed=True, evaluator="lint"),)).requires("bad")


def test_a_record_that_was_in_the_log_says_the_same(tmp_path: Path) -> None:
    web, silent = Suite(RunnerKind.NPM, "web"), CaseResult("c", passed=False, silent=True)
    outcomes = {
        SUITE: outcome(CaseResult("test_a.py::a", passed=True), BAD),
        web: outcome(CaseResult("web/b", passed=True), silent),
    }
    record = make_baseline(outcomes, (SUITE, Suite(RunnerKind.GO), web))

    async def story() -> Baseline | None:
        async with make_run(tmp_path) as run:
            return await logged_baseline(Fixed(record), run)

    before = parse_baseline(asyncio.run(story()))

    assert parse_baseline(record) == before
    assert {"test_a.py::a": True, "bad": False, "web/b": True, "c": False} == before.passed
    assert (SUITE, Suite(RunnerKind.GO), web) == before.suites
    assert {"test_a.py::a": SUITE, "bad": SUITE, "web/b": web, "c": web} == before.of
    assert ("test_a.py::a", "bad", "web/b") == before.there


def test_a_record_names_the_file_that_defines_a_test() -> None:
    names = ["test_a.py::test_a", "web/pond.test.js > is deep", "example.com/pond.TestDeep", "make test"]
    record = make_baseline({SUITE: outcome(*(CaseResult(name, passed=False) for name in names))})

    assert ["test_a.py", "web/pond.test.js", "", ""] == [check.file for check in record.checks]


@pytest.mark.parametrize(("touched", "missing"), [(("a.js",), True), (("a.py", "notes.md"), False), ((), False)])
@pytest.mark.parametrize("tests", [(), (GOOD,)])
def test_tests_that_did_not_run_are_missing_only_where_they_concern_the_work(
    touched: tuple[str, ...], missing: bool, tests: tuple[CaseResult, ...]
) -> None:
    found = not_run_findings([NotRun(Suite(RunnerKind.NPM), "there is no node", "Install node.")], touched)

    evaluation = evaluate_outcome(outcome(*tests), SuiteBaseline(), found)

    assert evaluation is not None
    assert (("The npm tests were not run: there is no node",) if missing else ()) == evaluation.missing
    assert evaluation.green is (bool(tests) and not missing)


def test_when_all_that_ran_was_red_before_nothing_is_green_or_red() -> None:
    evaluation = evaluate_outcome(outcome(BAD), SuiteBaseline({"bad": False}))

    assert evaluation is not None
    assert (False, False) == (evaluation.green, evaluation.red)
    assert (Check("bad", passed=False, required=False),) == evaluation.checks


def test_a_runner_that_died_says_nothing_about_tests_that_did_not_run() -> None:
    died = CaseResult("pytest", passed=False, title="pytest crashed")

    evaluation = evaluate_outcome(outcome(BAD, died, complete=False), SuiteBaseline({"good": True}))

    assert evaluation is not None
    assert ["bad fails", "pytest crashed"] == [finding.title for finding in evaluation.findings]


def test_tests_of_a_file_that_cannot_be_read_are_not_called_gone() -> None:
    broken = CaseResult("test_a.py", passed=False, title="test_a.py fails")

    evaluation = evaluate_outcome(outcome(broken), SuiteBaseline({"test_a.py::test_a": True}))

    assert evaluation is not None
    assert ["test_a.py fails"] == [finding.title for finding in evaluation.findings]


def test_many_failures_are_told_in_a_few_findings_and_a_short_log() -> None:
    red = [CaseResult(f"t{n}", passed=False, title=f"t{n} fails", detail="x" * 900) for n in range(100)]

    evaluation = evaluate_outcome(outcome(*red), SuiteBaseline())

    assert evaluation is not None
    assert evaluation.log.startswith("pytest: 0 passed, 100 failed\n\nFAILED t0 fails\n")
    assert len(evaluation.log.encode()) <= 8192
    assert re.search(r"\[[\d,]+ bytes omitted\]$", evaluation.log)
    assert 21 == len(evaluation.findings)
    assert "… and 60 more" in evaluation.findings[-1].detail


def test_a_flaky_test_passes_and_is_suggested() -> None:
    evaluation = evaluate_outcome(count_as_passed(outcome(BAD), frozenset({"bad"})), SuiteBaseline())

    assert evaluation is not None
    assert evaluation.checks[0].passed
    assert [Severity.SUGGESTION] == [finding.severity for finding in evaluation.findings]


def test_one_failure_outweighs_any_number_of_passes() -> None:
    assert (CaseResult("a", passed=False),) == merge_tests(
        [CaseResult("a", passed=True), CaseResult("a", passed=False), CaseResult("a", passed=True)]
    )


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("ValueError: <Pond object at 0x7f12ab>\nmore", "ValueError: <Pond object at 0x…>"),
        ("took 3.21s, not 2 seconds", "took …, not …"),
        ("at 2026-11-21T10:00:00.123Z", "at …"),
        ("FileNotFoundError: '/tmp/pytest-of-a/pytest-12/x/pond.txt'", "FileNotFoundError: 'pond.txt'"),
        ("koi.py:12: no pond, line 7", "koi.py: no pond, line …"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("1/2 of a/b is 3:4", "1/2 of a/b is 3:4"),
    ],
)
def test_a_title_leaves_out_what_changes_from_run_to_run(reply: str, expected: str) -> None:
    assert expected == stable_line(reply)


def test_a_long_text_is_cut_at_a_line() -> None:
    assert "…\nccc" == last_part("aaa\nbbb\nccc", limit=5)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Traceback\nE   KeyError: 'x'\n1 error\nmake: *** [test] Error 1", "KeyError: 'x'"),
        (
            "ERROR: usage: pytest [options]\npytest: error: unrecognized: --x\n  rootdir: /a",
            "pytest: error: unrecognized: --x",
        ),
        ("INTERNALERROR>     sys.exit(3)\nINTERNALERROR> SystemExit: 3\n\nno tests ran in 0.1s", "SystemExit: 3"),
        (".\n!!!!!! _pytest.outcomes.Exit: enough !!!!!!\n1 passed", "_pytest.outcomes.Exit: enough"),
        (".\nFatal Python error: Segmentation fault\n  File x", "Fatal Python error: Segmentation fault"),
        ("a\nno such pond\n...", "no such pond"),
        ("", ""),
    ],
)
def test_the_last_error_is_why_a_program_gave_up(printed: str, expected: str) -> None:
    assert expected == error_line(printed)


def test_the_place_is_the_projects_last_line_in_the_traceback(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    for name in ("a b.py", "koi.py", ".venv/lib.py"):
        (tmp_path / name).write_text("")
    text = f'  File "{tmp_path}/a b.py", line 3, in test\nkoi.py:7: in feed\n.venv/lib.py:9: in get\nE   koi.py:8: no\n'

    assert "koi.py:7" == deepest_location(text, tmp_path)
    assert "" == deepest_location("/usr/lib/os.py:3: in x\n../koi.py:2: in y", tmp_path)
    assert "" == first_location(f"{'x' * 5000}.py:3 and a\0b.py:3", tmp_path)
    assert "koi.py:5" == first_location(f"at node:x:1:2 (file://{tmp_path}/koi.py:5:10)", tmp_path)


def test_a_report_that_lost_its_middle_is_judged_by_its_end(tmp_path: Path) -> None:
    lines = ['@x {"kind": "test", "id": "a", "outcome": "pas', '@x {"kind": "end", "code": 1, "sent": 9}']
    records, text = parse_output(lines, "@x ")

    output = outcome_of(ReporterOutput(records=records, printed=text, root=tmp_path))

    assert (ReporterRecord(kind="end", code=1, sent=9),) == records
    assert [("pytest", False)] == [(test.name, test.passed) for test in output.tests]
