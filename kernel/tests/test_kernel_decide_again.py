"""What happens to work that is not good enough yet: the later rules, in their order."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest

from openkoi.phases.decide import decide
from openkoi_hookspecs import (
    Check,
    Decision,
    Ended,
    Evaluation,
    Finding,
    Iteration,
    Limits,
    Mode,
    Plan,
    Ruling,
    Score,
    Severity,
    Spend,
    Work,
)

NUMBERS = count()
BLOCKER = Finding("drops every table", Severity.BLOCKER)
IMPORTANT = Finding("has no test")
GREEN, RED = Check("unit", True), Check("unit", False)


def judged(score: float | None, *findings: Finding, checks: Sequence[Check] = ()) -> Iteration:
    """An iteration that an evaluator scored; None: it could not."""
    scores = () if score is None else (Score("quality", score),)
    unknown = "no answer" if score is None else ""
    evaluation = Evaluation(scores=scores, checks=tuple(checks), findings=findings, unknown=unknown)
    return Iteration(plan=Plan(), work=worked(), evaluation=evaluation, spent=Spend())


def worked() -> Work:
    number = next(NUMBERS)
    return Work(f"attempt {number}", diff=f"+line {number}", files=("a.py",))


def after(*iterations: Iteration, limits: Limits | None = None, spent: Spend | None = None) -> Ruling:
    return decide(iterations, limits or Limits(iterations=9), spent or Spend())


# Regression.


@pytest.mark.row("SAFE-02", "C11")
def test_a_fall_is_taken_back_and_another_way_is_tried() -> None:
    assert Ruling(Decision.CONTINUE, "the score fell from 0.70 to 0.40", fresh=True) == after(judged(0.7), judged(0.4))


@pytest.mark.row("C67")
def test_a_fall_is_measured_from_the_best_not_from_the_one_before() -> None:
    assert after(judged(0.7), judged(0.55), judged(0.45), limits=Limits(iterations=9, improvement=0.0)).fresh


@pytest.mark.parametrize(("best", "now"), [(0.7, 0.5), (0.55, 0.35), (0.68, 0.48), (0.79, 0.59)])
def test_a_fall_by_the_threshold_itself_is_none(best: float, now: float) -> None:
    assert not after(judged(best), judged(now)).fresh


def test_a_check_that_was_green_and_is_red_is_a_fall() -> None:
    ruling = after(judged(0.4, checks=[GREEN]), judged(0.5, checks=[RED]))

    assert Ruling(Decision.CONTINUE, "unit passed before", fresh=True) == ruling


def test_the_second_fall_ends_it() -> None:
    ruling = after(judged(0.7), judged(0.3), judged(0.2))

    assert Ruling(Decision.ABORT_REGRESSION, "the score fell from 0.70 to 0.20, for the second time") == ruling


def test_the_second_fall_ends_it_with_a_way_up_between_them() -> None:
    assert Decision.ABORT_REGRESSION is after(judged(0.6), judged(0.3), judged(0.7), judged(0.4)).decision


def test_a_fall_in_the_last_iteration_returns_the_best() -> None:
    assert Decision.ACCEPT_BEST is after(judged(0.7), judged(0.1), limits=Limits(iterations=2)).decision


def test_falls_can_be_allowed_and_broken_checks_not() -> None:
    lenient = Limits(iterations=9, regression=None)

    assert not after(judged(0.7), judged(0.1), limits=lenient).fresh
    assert after(judged(0.4, checks=[GREEN]), judged(0.5, checks=[RED]), limits=lenient).fresh


def test_an_unknown_score_is_no_fall() -> None:
    assert Ruling(Decision.CONTINUE, "it can still be better") == after(judged(0.7), judged(None))


# A person.


def test_an_act_that_a_person_has_to_allow_needs_one() -> None:
    waiting = Iteration(plan=Plan(), work=Work("may I?", ended=Ended.PERSON), spent=Spend())

    assert Decision.ESCALATE is after(waiting).decision


@pytest.mark.row("C67")
def test_a_blocker_that_three_attempts_did_not_mend_needs_a_person() -> None:
    ruling = after(judged(0.5, BLOCKER), judged(0.5, BLOCKER), judged(0.5, BLOCKER), limits=Limits(iterations=3))

    assert Ruling(Decision.ESCALATE, "3 attempts did not mend it: drops every table") == ruling


def test_a_blocker_is_the_same_although_lines_have_moved() -> None:
    moved = [judged(0.5, replace(BLOCKER, where=f"db.py:{line}")) for line in (3, 8, 21)]

    assert Decision.ESCALATE is after(*moved).decision


def test_a_blocker_that_was_away_for_a_while_is_tried_again() -> None:
    assert Decision.CONTINUE is after(judged(0.5, BLOCKER), judged(0.55), judged(0.5, BLOCKER)).decision


# The end of the iterations, and of progress.


@pytest.mark.row("SAFE-07")
@pytest.mark.parametrize(("most", "reason"), [(1, "1 iteration is used up"), (2, "2 iterations are used up")])
def test_the_iterations_are_used_up(most: int, reason: str) -> None:
    rising = [judged(0.1 * n) for n in range(1, most + 1)]

    assert Ruling(Decision.ACCEPT_BEST, reason) == after(*rising, limits=Limits(iterations=most))


@pytest.mark.row("C67", "ITER-13")
def test_no_gain_over_the_best_ends_it_early() -> None:
    assert Ruling(Decision.ACCEPT_BEST, "the last attempt made it no better") == after(judged(0.5), judged(0.54))


@pytest.mark.parametrize(("best", "now"), [(0.5, 0.55), (0.52, 0.57), (0.54, 0.59), (0.7, 0.75)])
def test_a_gain_of_the_threshold_itself_is_one(best: float, now: float) -> None:
    assert Decision.CONTINUE is after(judged(best), judged(now)).decision


def test_a_check_that_turned_green_is_a_gain() -> None:
    assert Decision.CONTINUE is after(judged(0.4, checks=[RED]), judged(0.4, checks=[GREEN])).decision


def test_two_attempts_that_nobody_could_judge_are_no_gain() -> None:
    assert Decision.ACCEPT_BEST is after(judged(None), judged(None)).decision


def test_the_same_output_again_ends_it() -> None:
    first, again = judged(0.1), judged(0.7)
    assert again.evaluation is not None

    assert Ruling(Decision.ACCEPT_BEST, "the last attempt changed nothing") == after(
        first, replace(again, evaluation=replace(again.evaluation, mode=Mode.CACHED))
    )


def test_the_same_findings_three_times_end_it() -> None:
    ruling = after(judged(0.3, IMPORTANT), judged(0.4, IMPORTANT), judged(0.5, IMPORTANT))

    assert Ruling(Decision.ACCEPT_BEST, "the same findings stay open") == ruling


def test_an_open_blocker_is_tried_again_without_any_gain() -> None:
    assert Decision.CONTINUE is after(judged(0.5, BLOCKER), judged(0.5, BLOCKER)).decision


def test_a_first_attempt_that_falls_short_is_followed_by_another() -> None:
    assert Ruling(Decision.CONTINUE, "it can still be better") == after(judged(0.5))
