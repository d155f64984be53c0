"""Which iteration is the best, and which one a run returns."""

from dataclasses import replace

import pytest
from decision_iterations import BLOCKER, GREEN, RED, judged

from openkoi_base.decision.best import best_of, choose_returned
from openkoi_hookspecs import (
    Check,
    Cost,
    ExecutionResult,
    Facts,
    Iteration,
    NextAction,
    Plan,
    StopReason,
)

pytestmark = pytest.mark.unit


def empty() -> Iteration:
    return Iteration(
        plan=Plan(), work=ExecutionResult("", ended=StopReason.BUDGET), cost=Cost(), facts=Facts(end=StopReason.BUDGET)
    )


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
        (judged(0.0), empty()),
        (judged(0.6), judged(None, checks=[GREEN])),
        (judged(0.1, checks=[Check("flaky", False, required=False)]), judged(0.9, BLOCKER)),
        (judged(None, checks=[RED]), judged(None, checks=[RED, Check("other", False)])),
    ],
    ids=[
        *("checks", "blockers", "checks before blockers", "score", "scored", "judged", "judged before green"),
        *("optional check", "fewer failing checks"),
    ],
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


def test_what_is_accepted_is_returned() -> None:
    accepted = judged(0.8)

    assert accepted is choose_returned([judged(0.85, BLOCKER), accepted], NextAction.ACCEPT)


@pytest.mark.parametrize("decision", [NextAction.ABORT_BUDGET, NextAction.ABORT_TIMEOUT, NextAction.ACCEPT_BEST])
def test_what_is_not_accepted_gives_way_to_the_best_that_was_judged(decision: NextAction) -> None:
    best = judged(0.6)

    assert best is choose_returned([judged(0.5), best, empty()], decision)
    assert best is choose_returned([best, judged(None, checks=[GREEN])], decision)


def test_where_none_was_judged_the_files_stay_and_the_last_that_did_something_is_returned() -> None:
    last = judged(None)

    assert last is choose_returned([judged(None, checks=[GREEN]), last, empty()], NextAction.ABORT_BUDGET)
    assert (only := empty()) is choose_returned([only], NextAction.ABORT_BUDGET)


def test_a_run_that_waits_for_the_user_stays_where_it_is() -> None:
    waiting = judged(None)
    waiting = replace(waiting, work=replace(waiting.work, ended=StopReason.PERSON))

    assert waiting is choose_returned([judged(0.7), waiting], NextAction.ESCALATE)
