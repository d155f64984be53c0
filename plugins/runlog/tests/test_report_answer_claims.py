"""What an answer claims about the work, and what the record says about it."""

import pytest

from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    Event,
    ExecutionResult,
    Facts,
    NextAction,
    Record,
    Task,
    ToolCall,
    ToolResult,
    events,
)
from openkoi_runlog.report import RunReport, Verdict, build_report, check_claims

DIFF = "diff --git a/shop/bill.py b/shop/bill.py\n--- a/shop/bill.py\n+++ b/shop/bill.py\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"
GREEN = (Check("one", True, evaluator="testrunner"), Check("two", True, evaluator="testrunner"))
RED = (Check("one", True, evaluator="testrunner"), Check("two", False, evaluator="testrunner"))
STYLE = (Check("ruff", True, evaluator="lint"),)


def command(line: str, exit_code: int, id: str = "c") -> list[Event]:
    call = ToolCall(id, "run_command", {"command": line})
    return [events.ToolCallStarted(call), events.ToolCallFinished(ToolResult("", call=id, exit_code=exit_code))]


def wrote(path: str) -> list[Event]:
    call = ToolCall("w", "write_file", {"path": path, "content": ""})
    return [events.ToolCallStarted(call), events.ToolCallFinished(ToolResult("", call="w"))]


def report(
    answer: str, *happened: Event, checks: tuple[Check, ...] = (), diff: str = DIFF, turned: str = ""
) -> RunReport:
    work = ExecutionResult(answer, diff=diff, files=("shop/bill.py",) if diff else ())
    facts = Facts(turned=(turned,) if turned else ())
    ended = [
        events.ExecutionFinished(work),
        *([events.EvaluationFinished(Evaluation(checks=checks))] if checks else []),
        events.IterationFinished(0, None, Cost()),
        events.DecisionMade(0, Decision(NextAction.ACCEPT, "good"), Cost(), facts),
        events.RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost()),
    ]
    there = [events.TaskStarted(Task("Fix it")), *happened, *ended]
    return build_report(Record(str(n), f"2026-01-01T00:00:{n:02}.0Z", "run", one) for n, one in enumerate(there))


def claims(*arguments: object, **options: object) -> list[tuple[str, Verdict]]:
    return [(one.basis, one.verdict) for one in check_claims(report(*arguments, **options))]  # type: ignore[arg-type]


YES, NO, UNKNOWN = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNVERIFIED
NOTHING = ("nothing in the record shows this", UNKNOWN)


def test_tests_are_compared_with_the_checks_of_the_returned_work() -> None:
    assert [("testrunner: 2 of 2 checks pass", YES)] == claims("All 2 tests pass.", checks=GREEN + STYLE)
    assert [("testrunner: 1 of 2 checks fail", NO)] == claims("All tests pass now.", checks=RED)
    assert [NOTHING] == claims("All tests pass.", checks=STYLE)


def test_tests_are_compared_with_commands_where_no_check_ran() -> None:
    passed, failed = command("pytest -q", 0), command("uv run pytest", 1)

    assert [("log: `pytest -q` exited with 0", YES)] == claims("The tests pass.", *passed)
    assert [("log: `uv run pytest` exited with 1", NO)] == claims("The tests pass.", *passed, *failed)
    assert [("log: `pytest -q` exited with 0, before later changes", UNKNOWN)] == claims(
        "The tests pass.", *passed, *wrote("shop/bill.py")
    )


@pytest.mark.parametrize(
    ("sentence", "basis", "verdict"),
    [
        ("I updated `shop/bill.py` to round.", "diff: shop/bill.py +1 -1", YES),
        ("- Fixed the total in bill.py.", "diff: shop/bill.py +1 -1", YES),
        ("Added tests/test_bill.py.", "diff: no change to tests/test_bill.py", NO),
        ("Changed bill.py and tax.py.", "diff: no change to tax.py", UNKNOWN),
        ("I ran `pytest -q` twice.", "log: no such command was run", NO),
        ("It is now 40% faster.", *NOTHING),
        ("I pushed the branch.", *NOTHING),
        ("Ruff is clean.", *NOTHING),
        ("This fixes the rounding.", *NOTHING),
        ("It works.", *NOTHING),
    ],
)
def test_every_other_claim_has_its_own_kind_of_proof(sentence: str, basis: str, verdict: Verdict) -> None:
    assert [(basis, verdict)] == claims(sentence)


def test_a_fix_rests_on_the_checks_that_turned_green() -> None:
    rows = claims("I fixed the rounding bug.", checks=GREEN, turned="tests/test_bill.py::test_total")

    assert [("failed before, passes now: tests/test_bill.py::test_total", YES)] == rows


def test_a_commit_rests_on_its_command_and_a_style_on_its_linter() -> None:
    rows = claims("I committed it. Ruff is clean. Mypy passes.", *command("git commit -m x", 0), checks=STYLE)

    assert [
        ("log: `git commit -m x` exited with 0", YES),
        ("lint: 1 of 1 check pass", YES),
        ("lint: 1 of 1 check pass", YES),
    ] == rows


@pytest.mark.parametrize(
    "answer",
    [
        "Paris is the capital of France.",
        "Run `pytest` to see whether the tests pass.",
        "The tests should pass now.",
        "If the build succeeds, push it.",
        "I did not run the tests.",
        "Do all tests pass?",
        "```\nall tests passed\n```",
        "| test | passed |",
        "You can update bill.py yourself.",
        "bill.py defines add, which creates nothing; see moved_by() in tax.py.",
    ],
)
def test_advice_and_questions_and_code_claim_nothing(answer: str) -> None:
    assert [] == claims(answer)
