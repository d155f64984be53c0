"""What holds of one evaluation that is made of many, whatever the evaluators say, and of what is decided on it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_base.decision.decide import decide
from openkoi_base.decision.facts import observe
from openkoi_base.decision.merge import MAX_WEIGHT, MODES, SEVERITIES, distinct_findings, merge, validate_evaluation
from openkoi_hookspecs import (
    Check,
    Cost,
    Evaluation,
    EvaluationMode,
    ExecutionResult,
    Finding,
    Iteration,
    Limits,
    NextAction,
    Plan,
    Policy,
    Score,
    Severity,
)
from openkoi_hookspecs.evaluation import RED_CAP

T = TypeVar("T")
NEAR = 1e-9
few = settings(max_examples=30, deadline=None)

SHARES = st.sampled_from([0.0, 0.3, 0.5, 0.79, 0.8, 0.95, 1.0])
WEIGHTS = (0.0, 0.1, 0.3, 0.6, 6e5)
EVERY_CHECK = [
    Check(name, passed, required=ours) for name in "ab" for passed in (True, False) for ours in (True, False)
]
EVERY_FINDING = [Finding(title, severity, where="f:1") for title in "pq" for severity in Severity]
EVERY_SCORE = [Score(name, value, weight) for name in "xy" for value in (0.0, 0.4, 0.8, 1.0) for weight in WEIGHTS]


def some(every: Sequence[T]) -> st.SearchStrategy[tuple[T, ...]]:
    """None, one or two of them."""
    return st.sampled_from([(), *((one,) for one in every), *permutations(every, 2)])


CHECKS, SCORES, FINDINGS = some(EVERY_CHECK), some(EVERY_SCORE), some(EVERY_FINDING)
UNKNOWN = st.sampled_from(["", "", "", "no answer"])
OPINION = st.builds(
    Evaluation,
    checks=CHECKS,
    scores=SCORES,
    findings=FINDINGS,
    unavailable_reason=UNKNOWN,
    mode=st.sampled_from(EvaluationMode),
    suggestion=st.sampled_from(["", "Mend it."]),
    log=st.sampled_from(["", "1 failed"]),
)
NAMES = ("tests", "lint", "judge", "second judge")
JUDGES = frozenset(NAMES[2:])
OPINIONS = st.lists(OPINION, max_size=4)
REASONS = st.sampled_from([(), (), ("judge is required, but returned no evaluation",)])


def put_together(opinions: Sequence[Evaluation], silent: Sequence[str] = ()) -> Evaluation:
    """One evaluation of theirs, of which the last two are judges."""
    return merge(dict(zip(NAMES, opinions, strict=False)), JUDGES, silent)


def known(opinions: Iterable[Evaluation]) -> list[Evaluation]:
    return [opinion for opinion in opinions if not opinion.unavailable_reason]


def decided(evaluation: Evaluation, quality: float = 0.8) -> NextAction:
    """What is decided after one iteration that is judged so."""
    work = ExecutionResult("Done.", files=("a.py",))
    facts = observe(Plan(), work, evaluation, policy=Policy.JUDGE)
    once = Iteration(plan=Plan(), work=work, evaluation=evaluation, cost=Cost(), facts=facts)
    return decide([once], Limits(quality_threshold=quality), Cost()).action


@few
@given(OPINIONS, REASONS)
def test_whatever_is_said_comes_to_one_evaluation_that_is_decided_on(
    opinions: list[Evaluation], missing: Sequence[str]
) -> None:
    whole = validate_evaluation(put_together(opinions, missing))

    assert whole.score is None or 0 <= whole.score <= 1
    assert decided(whole) in NextAction


@few
@given(OPINIONS, REASONS)
def test_nothing_that_is_known_is_lost(opinions: list[Evaluation], missing: Sequence[str]) -> None:
    whole = put_together(opinions, missing)

    assert sum(len(one.checks) for one in known(opinions)) == len(whole.checks)
    assert sum(len(one.scores) for one in known(opinions)) == len(whole.scores)
    assert {found.key for one in opinions for found in one.findings} == {found.key for found in whole.findings}
    assert all(one.log in whole.log and one.suggestion in whole.suggestion for one in known(opinions))


@few
@given(OPINIONS, REASONS, SHARES)
def test_nothing_is_accepted_with_an_open_blocker_or_a_red_required_check(
    opinions: list[Evaluation], missing: Sequence[str], quality: float
) -> None:
    barred = any(one.blockers or one.failing for one in known(opinions))

    if decided(put_together(opinions, missing), quality) is NextAction.ACCEPT:
        assert not barred


@few
@given(OPINIONS, SHARES, SHARES)
def test_a_higher_threshold_never_turns_a_rejection_into_an_acceptance(
    opinions: list[Evaluation], one: float, other: float
) -> None:
    whole, lower, higher = put_together(opinions), min(one, other), max(one, other)

    if decided(whole, higher) is NextAction.ACCEPT:
        assert NextAction.ACCEPT is decided(whole, lower)


@few
@given(OPINIONS, OPINION)
def test_no_opinion_lifts_the_score_of_work_with_a_red_check_above_its_cap(
    opinions: list[Evaluation], more: Evaluation
) -> None:
    red = Evaluation(checks=(Check("tests", passed=False),))
    score = put_together([red, *opinions[:2], more]).score

    assert score is None or score <= RED_CAP


@few
@given(OPINIONS, st.sampled_from([Check("tests", passed=False), Finding("It leaks", Severity.BLOCKER)]))
def test_more_bad_news_never_turns_a_rejection_into_an_acceptance(
    opinions: list[Evaluation], news: Check | Finding
) -> None:
    bad = Evaluation(checks=(news,)) if isinstance(news, Check) else Evaluation(findings=(news,))

    assert NextAction.ACCEPT is not decided(put_together([bad, *opinions[:3]]))


@few
@given(OPINIONS)
def test_a_judge_that_was_asked_and_is_silent_leaves_no_score(opinions: list[Evaluation]) -> None:
    whole = put_together([*opinions[:2], Evaluation(unavailable_reason="no answer")])

    assert whole.score is None or len(opinions) < 2
    assert NextAction.ACCEPT is not decided(merge({"judge": Evaluation(unavailable_reason="no answer")}, JUDGES))


@few
@given(OPINIONS)
def test_checks_that_did_not_run_are_missing_and_leave_the_work_not_green(opinions: list[Evaluation]) -> None:
    whole = put_together([Evaluation(unavailable_reason="pytest is not installed"), *opinions[:3]])

    assert whole.missing[0] == "pytest is not installed"
    assert not whole.green


@few
@given(OPINIONS)
def test_without_a_judgement_that_is_required_there_is_no_score_and_no_acceptance(opinions: list[Evaluation]) -> None:
    whole = put_together(opinions, ["judge is required, but returned no evaluation"])

    assert (None, False) == (whole.score, whole.green)
    assert NextAction.ACCEPT is not decided(whole)


@few
@given(st.lists(OPINION, max_size=3))
def test_the_order_of_the_evaluators_decides_nothing(opinions: list[Evaluation]) -> None:
    first = put_together(opinions)
    named = list(zip(NAMES, opinions, strict=False))

    for other in (merge(dict(order), JUDGES) for order in permutations(named)):
        assert (other.score is None) is (first.score is None)
        assert pytest.approx(first.score or 0.0) == (other.score or 0.0)
        assert (first.failing, first.mode, len(first.blockers)) == (other.failing, other.mode, len(other.blockers))


@few
@given(OPINIONS, st.sampled_from([0.1, 3.0, 100.0]))
def test_weights_are_shares_and_a_mean_lies_within_its_scores(opinions: list[Evaluation], times: float) -> None:
    whole = replace(put_together(opinions), checks=(), unavailable_reason="")
    heavier = replace(whole, scores=tuple(replace(one, weight=one.weight * times) for one in whole.scores))
    counting = [one.value for one in whole.scores if one.weight]

    assert pytest.approx(whole.score or 0.0) == (heavier.score or 0.0)
    if whole.score is not None:
        assert min(counting) - NEAR <= whole.score <= max(counting) + NEAR


@few
@given(FINDINGS, FINDINGS)
def test_of_equal_findings_the_severest_stands_in_the_place_of_the_first(
    one: tuple[Finding, ...], other: tuple[Finding, ...]
) -> None:
    every, findings = (*one, *other), distinct_findings((*one, *other))
    places = [next(n for n, found in enumerate(every) if found.key == finding.key) for finding in findings]

    assert findings == distinct_findings(findings)
    assert len({finding.key for finding in findings}) == len(findings)
    assert sorted(places) == places
    for finding in findings:
        same = [SEVERITIES.index(found.severity) for found in every if found.key == finding.key]
        assert min(same) == SEVERITIES.index(finding.severity)


@few
@given(OPINIONS)
def test_it_was_come_by_as_the_opinion_that_was_spared_most(opinions: list[Evaluation]) -> None:
    most = max((MODES.index(one.mode) for one in known(opinions)), default=0)

    assert MODES[most] is put_together(opinions).mode


@few
@given(st.floats(), st.floats())
def test_a_score_is_a_number_from_nought_to_one_or_the_opinion_is_refused(value: float, weight: float) -> None:
    opinion = Evaluation(scores=(Score("x", value, weight),))
    if not (0 <= value <= 1 and 0 <= weight <= MAX_WEIGHT):
        with pytest.raises(ValueError, match="has score"):
            validate_evaluation(opinion)
        return

    score = validate_evaluation(opinion).score
    assert score is None or 0 <= score <= 1
