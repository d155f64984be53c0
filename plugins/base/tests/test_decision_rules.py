"""How a run that is not accepted goes on or ends: the rules, in their order."""

from dataclasses import replace

import pytest
from decision_iterations import BLOCKER, GREEN, RED, iteration, judged

from openkoi_base.decision.decide import decide
from openkoi_hookspecs import (
    Cost,
    Decision,
    EvaluationMode,
    ExecutionResult,
    Finding,
    Iteration,
    Limits,
    NextAction,
    Plan,
    StopReason,
)

pytestmark = pytest.mark.unit

IMPORTANT = Finding("has no test")


def after(*iterations: Iteration, limits: Limits | None = None, spent: Cost | None = None) -> Decision:
    return decide(iterations, limits or Limits(iterations=9), spent or Cost())


# The loop breaker and the limits.


def test_a_model_that_repeats_itself_is_stopped_before_any_limit() -> None:
    everything = Cost(budget_tokens=10**9, usd=99.0, seconds=1e6)

    assert NextAction.ABORT_LOOP is after(judged(0.5, end=StopReason.LOOP), spent=everything).action


@pytest.mark.row("C61", "ITER-12", "SAFE-06")
@pytest.mark.parametrize("limit", ["tokens", "dollars", "calls"])
def test_a_refused_lease_is_the_limit_reached(limit: str) -> None:
    decision = after(iteration(None, StopReason.BUDGET, limit))

    assert Decision(NextAction.ABORT_BUDGET, f"reached the limit of {limit}") == decision


@pytest.mark.parametrize(
    ("spent", "limit"),
    [(Cost(tokens=10**9, budget_tokens=200_000), "tokens"), (Cost(usd=2.0), "dollars"), (Cost(calls=300), "calls")],
)
def test_a_limit_that_is_used_up_is_named(spent: Cost, limit: str) -> None:
    assert Decision(NextAction.ABORT_BUDGET, f"reached the limit of {limit}") == after(judged(0.5), spent=spent)


def test_free_models_do_not_reach_a_limit_of_no_dollars() -> None:
    assert NextAction.CONTINUE is after(judged(0.5), limits=Limits(usd=0.0), spent=Cost(budget_tokens=10)).action


@pytest.mark.row("SAFE-10")
@pytest.mark.parametrize(
    ("one", "spent"), [(iteration(None, StopReason.TIME), Cost()), (judged(0.5), Cost(seconds=300.0))]
)
def test_the_time_is_over(one: Iteration, spent: Cost) -> None:
    assert Decision(NextAction.ABORT_TIMEOUT, "reached the limit of 300 seconds") == after(one, spent=spent)


def test_limits_outrank_a_regression() -> None:
    assert NextAction.ABORT_BUDGET is after(judged(0.7), judged(0.1), spent=Cost(usd=2.0)).action


@pytest.mark.row("C31")
def test_good_work_is_accepted_even_if_it_used_the_last_token() -> None:
    everything = Cost(tokens=10**9, budget_tokens=200_000, usd=2.0, seconds=300.0, calls=300)

    assert NextAction.ACCEPT is after(judged(0.9, end=StopReason.BUDGET), spent=everything).action


# Regression.


@pytest.mark.row("SAFE-02", "C11")
def test_a_fall_is_taken_back_and_another_way_is_tried() -> None:
    assert Decision(NextAction.CONTINUE, "the score fell from 0.70 to 0.40", restart_from_best=True) == after(
        judged(0.7), judged(0.4)
    )


@pytest.mark.row("C67")
def test_a_fall_is_measured_from_the_best_not_from_the_one_before() -> None:
    assert after(
        judged(0.7), judged(0.55), judged(0.45), limits=Limits(iterations=9, min_improvement=0.0)
    ).restart_from_best


@pytest.mark.parametrize(("best", "now"), [(0.7, 0.5), (0.55, 0.35), (0.68, 0.48), (0.79, 0.59)])
def test_a_fall_by_the_threshold_itself_is_none(best: float, now: float) -> None:
    assert not after(judged(best), judged(now)).restart_from_best


def test_a_check_that_was_green_and_is_red_is_a_fall() -> None:
    decision = after(judged(0.4, checks=[GREEN]), judged(0.5, checks=[RED]))

    assert Decision(NextAction.CONTINUE, "unit passed before", restart_from_best=True) == decision


def test_a_check_of_another_evaluator_with_the_same_name_is_not_the_one_that_passed_before() -> None:
    green, red = replace(GREEN, evaluator="testrunner"), replace(RED, evaluator="linters")

    assert not after(judged(0.4, checks=[green]), judged(0.5, checks=[red])).restart_from_best


def test_the_second_fall_ends_it() -> None:
    decision = after(judged(0.7), judged(0.3), judged(0.2))

    assert Decision(NextAction.ABORT_REGRESSION, "a second regression: the score fell from 0.70 to 0.20") == decision


def test_the_second_fall_ends_it_with_a_way_up_between_them() -> None:
    assert NextAction.ABORT_REGRESSION is after(judged(0.6), judged(0.3), judged(0.7), judged(0.4)).action


def test_a_fall_in_the_last_iteration_returns_the_best() -> None:
    assert NextAction.ACCEPT_BEST is after(judged(0.7), judged(0.1), limits=Limits(iterations=2)).action


def test_falls_can_be_allowed_and_broken_checks_not() -> None:
    lenient = Limits(iterations=9, max_regression=None)

    assert not after(judged(0.7), judged(0.1), limits=lenient).restart_from_best
    assert after(judged(0.4, checks=[GREEN]), judged(0.5, checks=[RED]), limits=lenient).restart_from_best


def test_work_without_a_score_has_not_fallen() -> None:
    unfinished = iteration(None, StopReason.CYCLES)

    assert "stopped at the maximum number of cycles before the task was done" == after(judged(0.7), unfinished).reason


# The user.


@pytest.mark.row("C67")
def test_a_blocker_that_three_attempts_did_not_mend_needs_a_person() -> None:
    decision = after(judged(0.5, BLOCKER), judged(0.5, BLOCKER), judged(0.5, BLOCKER), limits=Limits(iterations=3))

    assert Decision(NextAction.ESCALATE, "still failing after 3 iterations: drops every table") == decision


def test_a_blocker_is_the_same_although_lines_have_moved() -> None:
    moved = [judged(0.5, replace(BLOCKER, where=f"db.py:{line}")) for line in (3, 8, 21)]

    assert NextAction.ESCALATE is after(*moved).action


def test_a_blocker_that_was_away_for_a_while_is_tried_again() -> None:
    assert NextAction.CONTINUE is after(judged(0.5, BLOCKER), judged(0.55), judged(0.5, BLOCKER)).action


# The end of the iterations, and of progress.


@pytest.mark.row("SAFE-07")
@pytest.mark.parametrize(("most", "reason"), [(1, "1 iteration"), (2, "2 iterations")])
def test_the_iterations_are_used_up(most: int, reason: str) -> None:
    rising = [judged(0.1 * n) for n in range(1, most + 1)]

    decision = after(*rising, limits=Limits(iterations=most))

    assert Decision(NextAction.ACCEPT_BEST, f"score 0.{most}0 is below the threshold 0.80 after {reason}") == decision


@pytest.mark.row("C67", "ITER-13")
def test_no_gain_over_the_best_ends_it_early() -> None:
    assert Decision(NextAction.ACCEPT_BEST, "the last iteration did not improve the result") == after(
        judged(0.5), judged(0.54)
    )


@pytest.mark.parametrize(("best", "now"), [(0.5, 0.55), (0.52, 0.57), (0.54, 0.59), (0.7, 0.75)])
def test_a_gain_of_the_threshold_itself_is_one(best: float, now: float) -> None:
    assert NextAction.CONTINUE is after(judged(best), judged(now)).action


def test_a_check_that_turned_green_is_a_gain() -> None:
    assert NextAction.CONTINUE is after(judged(0.4, checks=[RED]), judged(0.4, checks=[GREEN])).action


def test_two_iterations_with_the_same_failing_checks_are_no_gain() -> None:
    assert NextAction.ACCEPT_BEST is after(judged(None, checks=[RED]), judged(None, checks=[RED])).action


def test_two_iterations_that_did_nothing_end_it() -> None:
    nothing = Iteration(plan=Plan(), work=ExecutionResult(""), cost=Cost())

    assert Decision(NextAction.CONTINUE, "nothing was done") == after(nothing)
    assert Decision(NextAction.ACCEPT_BEST, "nothing was done") == after(nothing, nothing)


def test_the_same_output_again_ends_it() -> None:
    first, again = judged(0.1), judged(0.7)
    assert again.evaluation is not None

    assert Decision(NextAction.ACCEPT_BEST, "the last iteration changed nothing") == after(
        first, replace(again, evaluation=replace(again.evaluation, mode=EvaluationMode.CACHED))
    )


def test_the_same_findings_three_times_end_it() -> None:
    decision = after(judged(0.3, IMPORTANT), judged(0.4, IMPORTANT), judged(0.5, IMPORTANT))

    assert Decision(NextAction.ACCEPT_BEST, "the same findings are still open") == decision


def test_an_open_blocker_is_tried_again_without_any_gain() -> None:
    assert NextAction.CONTINUE is after(judged(0.5, BLOCKER), judged(0.5, BLOCKER)).action


def test_a_first_attempt_that_falls_short_is_followed_by_another() -> None:
    assert Decision(NextAction.CONTINUE, "score 0.50 is below the threshold 0.80") == after(judged(0.5))
