"""What happens after an iteration: one claim for each rule, in the order in which the rules hold."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest

from openkoi.phases.decide import best_of, decide
from openkoi_hookspecs import (
    Check,
    Decision,
    Ended,
    Evaluation,
    Finding,
    Iteration,
    Limits,
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


def unjudged(ended: Ended = Ended.DONE) -> Iteration:
    return Iteration(plan=Plan(), work=worked(ended), spent=Spend())


def worked(ended: Ended = Ended.DONE) -> Work:
    number = next(NUMBERS)
    return Work(f"attempt {number}", diff=f"+line {number}", files=("a.py",), ended=ended)


def ended(iteration: Iteration, ended: Ended, limit: str = "") -> Iteration:
    return replace(iteration, work=replace(iteration.work, ended=ended, limit=limit))


def after(*iterations: Iteration, limits: Limits | None = None, spent: Spend | None = None) -> Ruling:
    return decide(iterations, limits or Limits(iterations=9), spent or Spend())


def test_nothing_has_been_tried_yet() -> None:
    assert Decision.CONTINUE is after().decision


# The best.


def test_the_best_is_not_the_last() -> None:
    best, last = judged(0.7), judged(0.6)

    assert best is best_of([judged(0.5), best, last])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (judged(0.4, checks=[GREEN]), judged(0.9, checks=[RED])),
        (judged(0.4), judged(0.9, BLOCKER)),
        (judged(0.5, BLOCKER), judged(0.5, checks=[RED])),
        (judged(0.6), judged(0.5)),
        (judged(0.0, BLOCKER, checks=[RED]), judged(None)),
        (judged(0.0), unjudged()),
        (judged(0.1, checks=[Check("flaky", False, required=False)]), judged(0.9, BLOCKER)),
    ],
    ids=["checks", "blockers", "checks before blockers", "score", "scored", "judged", "optional check"],
)
def test_one_iteration_is_better_than_another(better: Iteration, worse: Iteration) -> None:
    assert better is best_of([worse, better])
    assert better is best_of([better, worse])


def test_of_equal_scores_the_smaller_change_is_better() -> None:
    small, large = judged(0.5), judged(0.5)
    large = replace(large, work=replace(large.work, diff="+a\n+b\n+c\n"))

    assert small is best_of([large, small])


def test_of_equals_the_earlier_is_better() -> None:
    first, second = judged(0.5), judged(0.5)

    assert first is best_of([first, second])


# The loop breaker.


def test_a_model_that_repeats_itself_is_stopped() -> None:
    assert Decision.ABORT_LOOP is after(ended(judged(0.5), Ended.LOOP)).decision


def test_a_loop_after_good_work_is_accepted() -> None:
    assert Decision.ACCEPT is after(ended(judged(0.9), Ended.LOOP)).decision


def test_a_loop_that_changed_no_file_is_not_accepted() -> None:
    idle = replace(judged(0.9), work=Work("again", ended=Ended.LOOP))

    assert Decision.ABORT_LOOP is after(idle).decision


def test_a_loop_that_nobody_judged_is_not_accepted() -> None:
    assert Decision.ABORT_LOOP is after(unjudged(Ended.LOOP)).decision


def test_the_loop_breaker_outranks_limits() -> None:
    looping = ended(judged(0.5), Ended.LOOP)

    assert Decision.ABORT_LOOP is after(looping, spent=Spend(tokens=10**9, usd=99.0, seconds=1e6)).decision


# Acceptance.


def test_work_that_nobody_has_an_opinion_about_is_accepted() -> None:
    assert Ruling(Decision.ACCEPT, "there was nothing to judge") == after(unjudged())


def test_no_opinion_does_not_outvote_an_earlier_one() -> None:
    assert Decision.ACCEPT is not after(judged(0.5, checks=[RED]), unjudged()).decision


@pytest.mark.row("C15", "CLI-13")
def test_without_iterations_one_execution_is_accepted_unjudged() -> None:
    assert Decision.ACCEPT is after(unjudged(), limits=Limits(iterations=0)).decision


@pytest.mark.row("C15")
@pytest.mark.parametrize(
    ("why", "decision"),
    [
        (Ended.CYCLES, Decision.ACCEPT_BEST),
        (Ended.BUDGET, Decision.ABORT_BUDGET),
        (Ended.TIME, Decision.ABORT_TIMEOUT),
        (Ended.LOOP, Decision.ABORT_LOOP),
        (Ended.PERSON, Decision.ESCALATE),
    ],
)
def test_without_iterations_one_execution_ends_by_its_own_ending(why: Ended, decision: Decision) -> None:
    assert decision is after(unjudged(why), limits=Limits(iterations=0)).decision


@pytest.mark.parametrize("score", [0.8, 0.80000001, 1.0])
def test_a_score_at_the_threshold_is_good_enough(score: float) -> None:
    assert Decision.ACCEPT is after(judged(score)).decision


def test_a_score_that_misses_the_threshold_by_rounding_alone_is_good_enough() -> None:
    dimensions = zip((1.0, 0.9, 0.5, 0.5), (0.4, 0.25, 0.15, 0.2), strict=True)
    scores = tuple(Score("quality", value, weight) for value, weight in dimensions)
    mean = Evaluation(scores=scores)

    assert Decision.ACCEPT is after(replace(judged(0.0), evaluation=mean)).decision


@pytest.mark.parametrize(
    "iteration",
    [
        judged(0.79),
        judged(1.0, BLOCKER),
        judged(1.0, checks=[RED]),
        judged(None),
        judged(None, checks=[GREEN]),
        ended(judged(1.0), Ended.PERSON),
    ],
    ids=["low", "blocker", "red check", "unknown", "unknown but green", "waits for a person"],
)
def test_work_is_not_accepted(iteration: Iteration) -> None:
    assert Decision.ACCEPT is not after(iteration).decision


def test_checks_alone_can_accept() -> None:
    checked = replace(judged(0.0), evaluation=Evaluation(checks=(GREEN, Check("lint", True))))

    assert Decision.ACCEPT is after(checked).decision


def test_a_check_that_was_red_before_the_work_does_not_forbid_acceptance() -> None:
    assert Decision.ACCEPT is after(judged(0.9, checks=[Check("old", False, required=False)])).decision


@pytest.mark.row("C31")
def test_good_work_is_accepted_even_if_it_used_the_last_token() -> None:
    everything = Spend(tokens=200_000, usd=2.0, seconds=300.0, calls=300)

    assert Decision.ACCEPT is after(ended(judged(0.9), Ended.BUDGET, "tokens"), spent=everything).decision


# Limits.


@pytest.mark.row("C61", "ITER-12", "SAFE-06")
@pytest.mark.parametrize("limit", ["tokens", "dollars", "calls"])
def test_a_refused_lease_is_the_limit_reached(limit: str) -> None:
    ruling = after(ended(judged(0.5), Ended.BUDGET, limit))

    assert Ruling(Decision.ABORT_BUDGET, f"the limit of {limit} is reached") == ruling


@pytest.mark.parametrize(
    ("spent", "limit"),
    [(Spend(tokens=200_000), "tokens"), (Spend(usd=2.0), "dollars"), (Spend(calls=300), "calls")],
)
def test_a_limit_that_is_used_up_is_named(spent: Spend, limit: str) -> None:
    assert Ruling(Decision.ABORT_BUDGET, f"the limit of {limit} is reached") == after(judged(0.5), spent=spent)


def test_free_models_do_not_reach_a_limit_of_no_dollars() -> None:
    assert Decision.CONTINUE is after(judged(0.5), limits=Limits(usd=0.0), spent=Spend(tokens=10)).decision


@pytest.mark.row("SAFE-10")
@pytest.mark.parametrize(
    ("iteration", "spent"),
    [(ended(judged(0.5), Ended.TIME), Spend()), (judged(0.5), Spend(seconds=300.0))],
)
def test_the_time_is_over(iteration: Iteration, spent: Spend) -> None:
    assert Ruling(Decision.ABORT_TIMEOUT, "the limit of 300 seconds is reached") == after(iteration, spent=spent)


def test_limits_outrank_a_regression() -> None:
    assert Decision.ABORT_BUDGET is after(judged(0.7), judged(0.1), spent=Spend(usd=2.0)).decision


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
    assert Decision.ESCALATE is after(unjudged(Ended.PERSON)).decision


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
    first = judged(0.1)

    assert Ruling(Decision.ACCEPT_BEST, "the last attempt changed nothing") == after(
        first, replace(judged(0.7), work=first.work)
    )


def test_the_same_findings_three_times_end_it() -> None:
    ruling = after(judged(0.3, IMPORTANT), judged(0.4, IMPORTANT), judged(0.5, IMPORTANT))

    assert Ruling(Decision.ACCEPT_BEST, "the same findings stay open") == ruling


def test_an_open_blocker_is_tried_again_without_any_gain() -> None:
    assert Decision.CONTINUE is after(judged(0.5, BLOCKER), judged(0.5, BLOCKER)).decision


def test_a_first_attempt_that_falls_short_is_followed_by_another() -> None:
    assert Ruling(Decision.CONTINUE, "it can still be better") == after(judged(0.5))
