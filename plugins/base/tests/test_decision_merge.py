"""How opinions become one evaluation, and what hooks may make of it."""

from dataclasses import replace

import pytest

from openkoi_base.decision.merge import distinct_findings, merge, only_stricter, validate_evaluation
from openkoi_hookspecs import (
    Check,
    Evaluation,
    EvaluationMode,
    Finding,
    Score,
    Severity,
)

pytestmark = pytest.mark.unit

GOOD = Evaluation(scores=(Score("quality", 0.9),))
SILENT = Evaluation(unavailable_reason="no answer")


def test_opinions_are_put_together_in_order() -> None:
    tests = Evaluation(checks=(Check("unit", True),), findings=(Finding("slow"),), suggestion="Run less.", log="ok")
    judge = Evaluation(scores=(Score("clarity", 0.7),), findings=(Finding("terse"),), suggestion="Say why.", log="hm")

    assert Evaluation(
        checks=(Check("unit", True, evaluator="tests"),),
        scores=(Score("clarity", 0.7),),
        findings=(Finding("slow", evaluator="tests"), Finding("terse", evaluator="judge")),
        suggestion="Run less. Say why.",
        log="ok\nhm",
    ) == merge({"tests": tests, "judge": judge}, {"judge"})


def test_checks_that_did_not_run_are_missing_and_leave_a_score_as_it_is() -> None:
    whole = merge({"lint": SILENT, "judge": GOOD}, {"judge"})

    assert (0.9, ("no answer",), "") == (whole.score, whole.missing, whole.unavailable_reason)


def test_a_judge_that_does_not_know_leaves_no_number_whatever_another_says() -> None:
    whole = merge({"judge": SILENT, "second": GOOD}, {"judge", "second"})

    assert ("no answer", None) == (whole.unavailable_reason, whole.score)


def test_one_that_must_be_known_makes_all_unknown_and_keeps_what_was_found() -> None:
    whole = merge({"tests": Evaluation(checks=(Check("unit", False),))}, (), ["the judge is away"])

    assert ("the judge is away", None, frozenset({"unit"})) == (whole.unavailable_reason, whole.score, whole.failing)


def test_no_opinions_are_no_judgement() -> None:
    assert None is merge({}, ()).score


def test_the_mode_is_that_of_the_opinion_that_skipped_most() -> None:
    assert EvaluationMode.INCREMENTAL is merge({"a": GOOD, "b": Evaluation(mode=EvaluationMode.INCREMENTAL)}, "ab").mode
    assert (
        EvaluationMode.FULL
        is merge({"a": GOOD, "b": Evaluation(mode=EvaluationMode.CACHED, unavailable_reason="away")}, "ab").mode
    )


def test_of_findings_that_are_the_same_the_severest_stands_in_the_place_of_the_first() -> None:
    mild, other = Finding("leaks", Severity.SUGGESTION, rule="R1", where="a.py:3"), Finding("slow")
    severe = Finding("leaks", Severity.BLOCKER, rule="R1", where="a.py:3", fix="close it")

    assert (severe, other) == distinct_findings([mild, other, severe])
    assert (severe, other) == distinct_findings([severe, other, mild])


@pytest.mark.parametrize("other", [Finding("leaks", where="a.py:9"), Finding("leaks", rule="R2"), Finding("spills")])
def test_findings_of_another_place_rule_or_title_are_others(other: Finding) -> None:
    first = Finding("leaks", where="a.py:3")

    assert (first, other) == distinct_findings([first, other])


@pytest.mark.parametrize(
    "score",
    [
        Score("x", 1.01),
        Score("x", -0.01),
        Score("x", float("nan")),
        Score("x", float("inf")),
        Score("x", 0.5, -1.0),
        Score("x", 0.5, float("nan")),
        Score("x", 0.5, float("inf")),
    ],
)
def test_scores_that_are_no_scores_are_refused(score: Score) -> None:
    with pytest.raises(ValueError, match="x has score"):
        validate_evaluation(Evaluation(scores=(score,)))


RED = Evaluation(checks=(Check("unit", False), Check("old", True)), findings=(Finding("leaks", Severity.BLOCKER),))
FULL = replace(RED, scores=(Score("a", 0.2), Score("b", 0.9)), missing=("lint timed out",))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (replace(FULL, checks=FULL.checks[1:]), "the failing check unit"),
        (replace(FULL, checks=(Check("unit", True), FULL.checks[1])), "the failing check unit"),
        (replace(FULL, checks=(Check("unit", False, required=False), FULL.checks[1])), "the failing check unit"),
        (replace(FULL, findings=()), "the blocker 'leaks'"),
        (replace(FULL, findings=(Finding("leaks"),)), "the blocker 'leaks'"),
        (replace(FULL, missing=()), r"the note that a check is missing \(lint timed out\)"),
        (replace(FULL, checks=(*FULL.checks, Check("mine", True))), "the passing check mine"),
        (replace(FULL, scores=FULL.scores[1:]), "only judges score"),
    ],
)
def test_a_hook_cannot_make_work_easier_to_accept(made: Evaluation, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        only_stricter(made, FULL)


def test_a_hook_may_make_it_harder() -> None:
    more = (*FULL.checks, Check("mine", False), Check("told", True, required=False))
    harder = replace(FULL, checks=more, scores=(Score("a", 0.1), Score("b", 0.9)), suggestion="Look again.")

    assert harder == only_stricter(harder, FULL)
    assert replace(FULL, scores=()) == only_stricter(replace(FULL, scores=()), FULL)
