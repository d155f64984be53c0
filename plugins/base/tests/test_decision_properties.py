"""What holds of every decision, whatever has happened."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_base.decision.best import best_of
from openkoi_base.decision.decide import ROWS, decide, row_of
from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    ExecutionResult,
    Facts,
    Finding,
    Iteration,
    Limits,
    NextAction,
    Plan,
    Policy,
    Score,
    Severity,
    StopReason,
)

T = TypeVar("T")
NEAR = 1e-6
few = settings(max_examples=40, deadline=None)


def up_to_two(every: Iterable[T]) -> st.SearchStrategy[tuple[T, ...]]:
    """None, one or two of these."""
    pool = tuple(every)
    return st.sampled_from([(), *((one,) for one in pool), *permutations(pool, 2)])


CHECKS = up_to_two(Check(name, passed, required=name != "c") for name in "abc" for passed in (True, False))
FINDINGS = up_to_two(Finding(title, severity) for title in "pq" for severity in Severity)


def facts(numbers: st.SearchStrategy[float]) -> st.SearchStrategy[Facts]:
    """Any facts, also such as cannot be true together."""
    return st.builds(
        Facts,
        end=st.sampled_from([StopReason.DONE, StopReason.DONE, StopReason.DONE, *StopReason]),
        limit=st.sampled_from(["", "tokens"]),
        answered=st.booleans(),
        changed=st.booleans(),
        turned=st.sampled_from([(), ("a",)]),
        passing=st.integers(0, 3),
        green=st.booleans(),
        red=st.booleans(),
        judged=st.none() | numbers,
        unjudged=st.sampled_from(["", "no key"]),
        policy=st.sampled_from(Policy),
        question=st.booleans(),
    )


def stories(numbers: st.SearchStrategy[float], least: int = 0) -> st.SearchStrategy[list[Iteration]]:
    scores = st.lists(st.builds(Score, st.just("quality"), numbers, numbers), max_size=2).map(tuple)
    unknown = st.sampled_from(["", "", "", "no answer"])
    reply = st.none() | st.builds(
        Evaluation, checks=CHECKS, scores=scores, findings=FINDINGS, unavailable_reason=unknown
    )
    one = st.builds(
        Iteration, plan=st.just(Plan()), work=WORKS, evaluation=reply, cost=st.just(Cost()), facts=facts(numbers)
    )
    return st.lists(one, min_size=least, max_size=5)


SHARES = st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.8, 1.0]) | st.floats(0, 1)
WORKS = st.sampled_from(
    [
        ExecutionResult(text, diff=diff, files=files, ended=ended)
        for text in "tu"
        for diff in ("", "+a\n", "+a\n+b\n")
        for files in ((), ("m",))
        for ended in (StopReason.DONE, StopReason.DONE, StopReason.DONE, *StopReason)
    ]
)
ODD = st.floats(-2, 3) | SHARES
STORIES = stories(ODD, least=1)
LIMITS = st.builds(
    Limits,
    iterations=st.integers(0, 6),
    cycles=st.integers(0, 3),
    tokens=st.integers(0, 100),
    usd=st.floats(0, 2),
    seconds=st.floats(0, 100),
    calls=st.integers(0, 5),
    quality_threshold=SHARES,
    min_improvement=SHARES,
    max_regression=st.none() | SHARES,
)
SPENT = st.builds(
    Cost, budget_tokens=st.integers(0, 100), usd=st.floats(0, 2), seconds=st.floats(0, 100), calls=st.integers(0, 5)
)
AMPLE = Limits(iterations=99)


def clean(iteration: Iteration) -> bool:
    evaluation = iteration.evaluation or Evaluation()
    return not evaluation.blockers and not evaluation.failing


def score(iteration: Iteration) -> float | None:
    return iteration.evaluation.score if iteration.evaluation else None


def decisions(story: Sequence[Iteration], limits: Limits) -> list[Decision]:
    """What was decided after each iteration."""
    return [decide(story[: count + 1], limits, Cost()) for count in range(len(story))]


@few
@given(stories(st.floats()), LIMITS, SPENT)
def test_every_story_is_decided_with_a_reason(story: list[Iteration], limits: Limits, spent: Cost) -> None:
    decision = decide(story, limits, spent)

    assert decision.action in NextAction
    assert decision.reason


@few
@given(STORIES, LIMITS, SPENT)
def test_the_same_story_is_decided_the_same_way(story: list[Iteration], limits: Limits, spent: Cost) -> None:
    assert decide(story, limits, spent) == decide(tuple(story), replace(limits), replace(spent))


@given(facts(st.floats()))
def test_some_row_fits_whatever_the_facts_are(some: Facts) -> None:
    number = row_of(some).number

    assert not any(row.fits(some) for row in ROWS if row.number < number)
    assert [1, 2, 3, 4, 5, 6, 7, 8] == [row.number for row in ROWS]


@few
@given(STORIES, LIMITS, SPENT)
def test_what_is_accepted_is_what_the_issue_says(story: list[Iteration], limits: Limits, spent: Cost) -> None:
    known = story[-1].facts
    done, did = known.end is StopReason.DONE, known.answered or known.changed
    judged = known.judged is not None and known.judged >= limits.quality_threshold - NEAR
    asked = known.policy is not Policy.NONE
    accepted = known.end is not StopReason.PERSON and (
        (not asked and done and did)
        or (asked and known.question and done and known.answered)
        or (asked and not known.red and not done and known.changed and judged)
        or (known.policy is Policy.JUDGE and not known.red and done and did and judged)
        or (
            known.policy is Policy.CHECKS
            and not known.red
            and done
            and did
            and known.green
            and (bool(known.turned) or known.changed)
        )
    )

    if known.judged is None or abs(known.judged - limits.quality_threshold) > NEAR:
        assert accepted is (decide(story, limits, spent).action is NextAction.ACCEPT)


@few
@given(STORIES, LIMITS, SPENT, SHARES)
def test_a_higher_threshold_accepts_nothing_more(
    story: list[Iteration], limits: Limits, spent: Cost, higher: float
) -> None:
    stricter = replace(limits, quality_threshold=max(limits.quality_threshold, higher))

    if decide(story, stricter, spent).action is NextAction.ACCEPT:
        assert NextAction.ACCEPT is decide(story, limits, spent).action


@few
@given(STORIES, LIMITS, SPENT)
def test_it_never_goes_on_without_an_iteration_left(story: list[Iteration], limits: Limits, spent: Cost) -> None:
    used_up = replace(limits, iterations=min(limits.iterations, len(story)))

    assert decide(story, used_up, spent).final


@few
@given(STORIES, LIMITS, SPENT)
def test_it_never_goes_on_past_a_limit(story: list[Iteration], limits: Limits, spent: Cost) -> None:
    if not decide(story, limits, spent).final:
        assert spent.seconds < limits.seconds
        assert spent.budget_tokens < limits.tokens or not spent.budget_tokens
        assert spent.usd < limits.usd or not spent.usd
        assert spent.calls < limits.calls or not spent.calls


@few
@given(STORIES, LIMITS, SPENT, st.sampled_from([StopReason.LOOP, StopReason.BUDGET, StopReason.TIME]))
def test_it_never_goes_on_after_an_execution_that_was_stopped(
    story: list[Iteration], limits: Limits, spent: Cost, why: StopReason
) -> None:
    last = replace(story[-1], facts=replace(story[-1].facts, end=why))

    assert decide([*story[:-1], last], limits, spent).final


@few
@given(STORIES, LIMITS, SPENT)
def test_it_never_goes_on_without_the_user_it_waits_for(story: list[Iteration], limits: Limits, spent: Cost) -> None:
    waiting = replace(story[-1], facts=replace(story[-1].facts, end=StopReason.PERSON))

    assert NextAction.ESCALATE is decide([*story[:-1], waiting], limits, spent).action


@few
@given(STORIES)
def test_a_story_has_at_most_one_fresh_attempt(story: list[Iteration]) -> None:
    assert 1 >= sum(decision.restart_from_best for decision in decisions(story, AMPLE))


@few
@given(STORIES)
def test_an_abort_for_regression_comes_after_a_fresh_attempt(story: list[Iteration]) -> None:
    decided = decisions(story, replace(AMPLE, quality_threshold=1.0))

    if decided[-1].action is NextAction.ABORT_REGRESSION and not any(decision.final for decision in decided[:-1]):
        assert any(decision.restart_from_best for decision in decided[:-1])


@few
@given(STORIES)
def test_the_best_is_the_maximum_and_of_equals_the_earliest(story: list[Iteration]) -> None:
    best = best_of(story)
    place = next(n for n, one in enumerate(story) if one is best)

    assert all(best.merit >= one.merit for one in story)
    assert all(best.merit > one.merit for one in story[:place])


@few
@given(STORIES)
def test_an_unscored_iteration_never_beats_a_scored_one(story: list[Iteration]) -> None:
    if score(best_of(story)) is None:
        assert all(score(one) is None for one in story)


@few
@given(STORIES)
def test_red_work_is_never_the_best_beside_scored_work_that_is_clean(story: list[Iteration]) -> None:
    if not clean(best_of(story)):
        assert not any(clean(one) and score(one) is not None for one in story)
