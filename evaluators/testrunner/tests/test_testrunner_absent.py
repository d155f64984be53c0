"""Test the detection of tests that no longer run, by their names alone."""

import pytest

from openkoi_hookspecs import Check, Severity
from openkoi_testrunner.baseline import SuiteBaseline, make_baseline, parse_baseline
from openkoi_testrunner.evaluation import evaluate_outcome
from openkoi_testrunner.project import RunnerKind
from openkoi_testrunner.removed_tests import find_absent
from openkoi_testrunner.results import CaseResult, SuiteOutcome, join_outcomes
from openkoi_testrunner.suites import Suite

pytestmark = pytest.mark.unit

SUITE = Suite(RunnerKind.PYTEST)
GOOD, BAD = "test_a.py::test_good", "test_a.py::test_bad"


def ran(*names: str, red: tuple[str, ...] = (), skipped: tuple[str, ...] = (), runner: str = "pytest") -> SuiteOutcome:
    """Return the outcome of a complete run."""
    failed = [CaseResult(name, passed=False, title=f"{name} fails") for name in red]
    return SuiteOutcome(
        runner=runner, tests=(*(CaseResult(name, passed=True) for name in names), *failed), skipped=skipped
    )


def missing(before: SuiteBaseline, now: SuiteOutcome) -> list[str]:
    return list(find_absent(before.there, now, before))


def test_an_absent_test_is_a_failing_check_with_a_finding_and_no_score() -> None:
    evaluation = evaluate_outcome(ran("test_b.py::test_b"), SuiteBaseline({GOOD: True, "test_b.py::test_b": True}))

    assert evaluation is not None
    assert Check(GOOD, passed=False, file="test_a.py") in evaluation.checks
    assert () == evaluation.scores
    (finding,) = evaluation.findings
    assert (f"{GOOD} no longer runs", GOOD, Severity.IMPORTANT) == (finding.title, finding.rule, finding.severity)
    assert evaluation.log.startswith(f"pytest: 1 passed, 0 failed, 1 absent\n\nABSENT {GOOD} no longer runs")


def test_a_test_that_is_newly_skipped_is_absent() -> None:
    evaluation = evaluate_outcome(ran(skipped=(GOOD,)), SuiteBaseline({GOOD: True}))

    assert evaluation is not None
    assert {GOOD} == evaluation.failing
    assert [f"{GOOD} is now skipped"] == [finding.title for finding in evaluation.findings]


def test_what_was_red_and_is_absent_counts_when_it_is_the_task() -> None:
    repair, other = SuiteBaseline({BAD: False}, all_count=True), SuiteBaseline({BAD: False})

    evaluation, unasked = evaluate_outcome(ran(), repair), evaluate_outcome(ran(), other)

    assert evaluation is not None
    assert {BAD} == evaluation.failing
    assert unasked is not None
    assert (Check(BAD, passed=False, required=False, file="test_a.py"),) == unasked.checks
    assert [Severity.SUGGESTION] == [finding.severity for finding in unasked.findings]


def test_what_was_red_and_turned_green_has_to_stay() -> None:
    before = parse_baseline(make_baseline({SUITE: ran(red=(BAD,))}), since=(Check(BAD, passed=True),))

    evaluation = evaluate_outcome(ran(GOOD), before)

    assert evaluation is not None
    assert {BAD} == evaluation.failing


def test_nothing_is_said_only_where_there_was_nothing() -> None:
    assert evaluate_outcome(ran(runner="tests"), SuiteBaseline()) is None


def test_many_absent_tests_are_one_finding() -> None:
    evaluation = evaluate_outcome(ran(), SuiteBaseline({f"t.py::test_{n}": True for n in range(30)}))

    assert evaluation is not None
    assert 30 == len(evaluation.failing)
    (finding,) = evaluation.findings
    assert "Existing tests no longer run" == finding.title
    assert "… and 10 more" in finding.detail


def test_the_finding_names_what_the_test_may_be_called_now() -> None:
    now = ran("test_a.py::test_better", "test_b.py::test_other")

    evaluation = evaluate_outcome(now, SuiteBaseline({GOOD: True}))

    assert evaluation is not None
    (finding,) = evaluation.findings
    assert "New tests: test_a.py::test_better. A renamed test" in finding.detail
    assert {GOOD} == evaluation.failing


def test_what_an_earlier_attempt_added_and_took_back_is_only_told() -> None:
    evaluation = evaluate_outcome(ran(GOOD), SuiteBaseline({GOOD: True}, since=frozenset({GOOD, BAD})))

    assert evaluation is not None
    assert frozenset() == evaluation.failing
    assert [BAD] == [finding.detail for finding in evaluation.findings]


CASES = [
    (("t.py::f[1]", "t.py::f[2]"), ("t.py::f[3]", "t.py::f[4]"), 0),
    (("t.py::f[1]", "t.py::f[2]"), ("t.py::f[2]", "t.py::f[a[0]::b/c]", "t.py::f[4]"), 0),
    (("t.py::C::f[1]", "t.py::C::f[2]"), ("t.py::C::f[3]",), 2),
    (("t.py::C::f[1]", "t.py::C::f[2]"), ("t.py::C::f[1]",), 1),
    (("t.py::f[1]",), ("t.py::g[1]", "u.py::f[1]"), 1),
    (("t.py::f",), ("t.py::f[1]", "t.py::f[2]"), 0),
    (("t.py::f[1]", "t.py::f[2]"), ("t.py::f",), 2),
    (("a.b/c.TestX/1", "a.b/c.TestX"), ("a.b/c.TestX/2", "a.b/c.TestX"), 0),
    (("a.b/c.TestX/1", "a.b/c.TestX"), ("a.b/c.TestX",), 1),
    (("a.b/c.TestX",), ("a.b/c.TestY",), 1),
]


@pytest.mark.parametrize(("before", "now", "lost"), CASES)
def test_cases_may_change_as_long_as_there_are_as_many(
    before: tuple[str, ...], now: tuple[str, ...], lost: int
) -> None:
    assert lost == len(missing(SuiteBaseline(dict.fromkeys(before, True)), ran(*now)))


def test_a_case_that_is_skipped_is_not_made_up_for() -> None:
    before = SuiteBaseline({"t.py::f[1]": True, "t.py::f[2]": True})

    assert ["t.py::f[2]"] == missing(before, ran("t.py::f[1]", "t.py::f[3]", skipped=("t.py::f[2]",)))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("test_pond.Pond.test_deep", "tests/test_pond.py::Pond::test_deep"),
        ("tests/test_pond.py::Pond::test_deep", "test_pond.Pond.test_deep"),
        ("sub/test_a.py::test_a", "test_a.py::test_a"),
        ("test_a.py::test_a", "tests/test_a.py::test_a"),
    ],
)
def test_another_runner_and_another_folder_leave_it_the_same_test(before: str, now: str) -> None:
    assert [] == missing(SuiteBaseline({before: True}), ran(now))
    assert [before] == missing(SuiteBaseline({before: True, now: True}), ran(now))


@pytest.mark.parametrize(
    ("red", "now"),
    [
        ("test_a.py", "test_a.py::test_x"),
        (".", "test_a.py::test_x"),
        ("tests", "tests/test_a.py::test_x"),
        ("tests/__init__.py", "tests/test_a.py::test_x"),
        ("setUpClass (test_a.Pond)", "test_a.Pond.test_x"),
        ("test_a", "test_a.Pond.test_x"),
        ("a.b/c", "a.b/c.TestX"),
        ("test/c.test.mjs", "pond > is deep"),
        ("pytest", "test_a.py::test_x"),
    ],
)
def test_what_could_not_be_read_before_is_not_absent_when_its_tests_run(red: str, now: str) -> None:
    before = SuiteBaseline({red: False}, all_count=True)

    assert [] == missing(before, ran(now))
    assert [red] == missing(before, ran())


def test_a_package_is_not_there_because_of_those_below_it() -> None:
    before = SuiteBaseline({"a.b/c": False}, all_count=True, of={"a.b/c": Suite(RunnerKind.GO)})

    assert ["a.b/c"] == missing(before, ran("a.b/c/sub.TestX"))


def test_what_is_told_only_when_it_fails_is_never_absent() -> None:
    silent = SuiteOutcome(runner="go test", tests=(CaseResult("a.b/c", passed=False, silent=True),))

    assert () == parse_baseline(make_baseline({SUITE: silent})).there


def test_tests_inside_what_fails_now_are_not_told_twice() -> None:
    before = SuiteBaseline({"test_a.py::test_x": True, "test_b.Pond.test_y": True, "a.b/c.TestZ": True})

    assert [] == missing(before, ran(red=("test_a.py", "setUpClass (test_b.Pond)", "a.b/c")))


def test_what_failed_before_as_well_excuses_nothing() -> None:
    before = SuiteBaseline({"test_a.py": False, "test_a.py::test_x": True})

    assert ["test_a.py::test_x"] == missing(before, ran(red=("test_a.py",)))


def test_a_runner_that_broke_off_before_as_well_excuses_only_what_comes_later() -> None:
    before = SuiteBaseline({"a": True, "b": True, "c": True, "d": True, "pytest": False})
    now = SuiteOutcome(
        runner="pytest", tests=(CaseResult("c", passed=True), CaseResult("pytest", passed=False)), complete=False
    )
    nothing = SuiteOutcome(runner="pytest", tests=(CaseResult("pytest", passed=False),), complete=False)

    assert ["a", "b"] == missing(before, now)
    assert ["a", "b", "c", "d"] == missing(before, nothing)


def test_a_runner_beside_another_is_there() -> None:
    both = join_outcomes([ran("test_a.py::test_a"), ran("make test", runner="make test")])

    assert both is not None
    assert [] == missing(SuiteBaseline({"make test": True}), both)
    assert ["make test"] == missing(SuiteBaseline({"make test": True}), ran("test_a.py::test_a"))
