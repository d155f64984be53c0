"""Test how findings change scores, and how several votes are combined."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_base.skillfile.evaluator import Dimension, Rubric
from openkoi_hookspecs import Check, Evaluation, Finding, Limits, Score, Severity
from openkoi_hookspecs.evaluation import RED_CAP
from openkoi_judge.aggregate_scores import aggregate_votes, cap_scores, combined_score, is_close, weighted_mean
from openkoi_judge.verdict import JudgeVerdict

pytestmark = pytest.mark.unit

RUBRIC = Rubric("house", (Dimension("walls", 0.75), Dimension("roof", 0.25)))


def vote(walls: float, roof: float, *findings: Finding) -> JudgeVerdict:
    return JudgeVerdict((Score("walls", walls, 0.75), Score("roof", roof, 0.25)), findings)


def leak(severity: Severity, where: str = "", title: str = "It leaks") -> Finding:
    return Finding(title, severity, rule="house/roof", where=where)


def values(verdict: JudgeVerdict) -> list[float]:
    return [round(score.value, 6) for score in verdict.scores]


@pytest.mark.row("EVAL-07")
@pytest.mark.parametrize(
    ("severities", "expected"),
    [
        ([Severity.SUGGESTION] * 5, 1.0),
        ([Severity.IMPORTANT], 0.9),
        ([Severity.IMPORTANT] * 2, 0.8),
        ([Severity.IMPORTANT] * 5, 0.7),
        ([Severity.IMPORTANT, Severity.BLOCKER], 0.3),
    ],
)
def test_findings_cap_their_own_dimension(severities: list[Severity], expected: float) -> None:
    assert values(cap_scores(vote(1.0, 1.0, *map(leak, severities)), RUBRIC)) == [1.0, expected]


def test_a_score_below_the_cap_stays_as_the_judge_gave_it() -> None:
    assert values(cap_scores(vote(1.0, 0.1, leak(Severity.BLOCKER)), RUBRIC)) == [1.0, 0.1]


@settings(max_examples=60)
@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_a_failing_check_caps_the_score_and_a_passing_one_adds_nothing(walls: float, roof: float, green: bool) -> None:
    evaluation = Evaluation(checks=(Check("tests", passed=green),))
    verdict = vote(walls, roof)

    expected = weighted_mean(verdict) if green else min(weighted_mean(verdict), RED_CAP)

    assert pytest.approx(expected) == combined_score(verdict, evaluation)


def test_a_red_check_keeps_the_vote_far_from_the_threshold() -> None:
    evaluation = Evaluation(checks=(Check("tests", passed=False),))

    assert not is_close(combined_score(vote(0.8, 0.8), evaluation), Limits(), 0.08)


@pytest.mark.parametrize(("score", "expected"), [(0.71, False), (0.72, True), (0.8, True), (0.88, True), (0.89, False)])
def test_the_band_lies_on_both_sides_of_the_threshold(score: float, expected: bool) -> None:
    assert expected is is_close(score, Limits(quality_threshold=0.8), 0.08)


@pytest.mark.row("C82")
def test_each_dimension_is_worth_its_median() -> None:
    votes = [vote(0.9, 0.2), vote(0.7, 0.9), vote(0.8, 0.4)]

    assert values(aggregate_votes(votes, RUBRIC)) == [0.8, 0.4]


def test_the_median_votes_findings_stand() -> None:
    votes = [vote(0.9, 0.9), vote(0.5, 0.5, Finding("low")), vote(0.7, 0.7, Finding("middle"))]

    assert ("middle",) == tuple(finding.title for finding in aggregate_votes(votes, RUBRIC).findings)


def test_a_blocker_that_two_votes_see_stands_and_caps() -> None:
    blocked = (
        vote(0.9, 0.3, leak(Severity.BLOCKER, "roof.py:1")),
        vote(0.9, 0.3, leak(Severity.BLOCKER, "roof.py:9", "Wet")),
    )
    votes = [blocked[0], vote(0.8, 0.9), vote(0.8, 0.9), blocked[1], vote(0.8, 0.9)]

    verdict = aggregate_votes(votes, RUBRIC)

    assert ("It leaks",) == tuple(finding.title for finding in verdict.findings)
    assert values(verdict) == [0.8, 0.3]


def test_a_blocker_that_one_vote_sees_does_not_outvote_the_others() -> None:
    votes = [vote(0.9, 0.3, leak(Severity.BLOCKER)), vote(0.9, 0.9), vote(0.9, 0.8)]

    verdict = aggregate_votes(votes, RUBRIC)

    assert ((), [0.9, 0.8]) == (verdict.findings, [score.value for score in verdict.scores])


def test_blockers_in_different_files_are_not_the_same_one() -> None:
    votes = [
        vote(0.9, 0.3, leak(Severity.BLOCKER, "north.py:1")),
        vote(0.9, 0.9),
        vote(0.5, 0.3, leak(Severity.BLOCKER, "south.py:1")),
    ]

    assert 1 == len(aggregate_votes(votes, RUBRIC).findings)
