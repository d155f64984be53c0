"""Which iteration is the best, when one is accepted, and which limits end the run: the first rules, in their order."""

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
