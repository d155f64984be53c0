"""What is accepted: the table, a test a row, then what its facts are made of."""

from dataclasses import replace

import pytest

from openkoi_base.decision.decide import decide, row_of
from openkoi_base.decision.facts import observe
from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    EffectCall,
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

pytestmark = pytest.mark.unit

DONE = Facts(answered=True, changed=True)
GOOD = replace(DONE, judged=0.9)
BLOCKER = Evaluation(findings=(Finding("drops every table", Severity.BLOCKER),))
RED = Evaluation(checks=(Check("unit", False),))
NOT_DONE = [end for end in StopReason if end not in (StopReason.DONE, StopReason.PERSON)]


def after(facts: Facts, evaluation: Evaluation | None = None, limits: Limits | None = None) -> Decision:
    """What is decided after one iteration with these facts."""
    work = ExecutionResult("words" if facts.answered else "", files=("a.py",) if facts.changed else (), ended=facts.end)
    one = Iteration(plan=Plan(), work=work, evaluation=evaluation, cost=Cost(), facts=facts)
    return decide([one], limits or Limits(iterations=9), Cost())


def test_nothing_has_been_tried_yet() -> None:
    assert NextAction.CONTINUE is decide([], Limits(), Cost()).action


# The table, row by row.


@pytest.mark.parametrize("policy", Policy)
def test_row_1_what_waits_for_the_user_is_never_accepted(policy: Policy) -> None:
    waiting = replace(GOOD, end=StopReason.PERSON, policy=policy)

    assert (1, Decision(NextAction.ESCALATE, "waiting for approval")) == (row_of(waiting).number, after(waiting))


@pytest.mark.row("C15", "CLI-13")
@pytest.mark.parametrize(("answered", "changed"), [(True, False), (False, True), (True, True)])
def test_row_2_what_was_done_and_not_to_be_evaluated_is_accepted(answered: bool, changed: bool) -> None:
    facts = Facts(answered=answered, changed=changed, policy=Policy.NONE)

    assert (2, Decision(NextAction.ACCEPT, "not evaluated")) == (row_of(facts).number, after(facts))


@pytest.mark.row("C15")
@pytest.mark.parametrize(
    ("facts", "decision"),
    [
        (Facts(), NextAction.ACCEPT_BEST),
        (replace(DONE, end=StopReason.CYCLES), NextAction.ACCEPT_BEST),
        (replace(DONE, end=StopReason.REFUSED), NextAction.ACCEPT_BEST),
        (replace(DONE, end=StopReason.UNMET), NextAction.ACCEPT_BEST),
        (replace(DONE, end=StopReason.BUDGET), NextAction.ABORT_BUDGET),
        (replace(DONE, end=StopReason.TIME), NextAction.ABORT_TIMEOUT),
        (replace(DONE, end=StopReason.LOOP), NextAction.ABORT_LOOP),
    ],
)
def test_row_2_what_was_not_done_ends_by_its_own_end(facts: Facts, decision: NextAction) -> None:
    assert decision is after(replace(facts, policy=Policy.NONE)).action


@pytest.mark.parametrize("policy", [Policy.JUDGE, Policy.CHECKS])
def test_row_3_a_question_with_an_answer_is_always_accepted(policy: Policy) -> None:
    asked = Facts(answered=True, question=True, policy=policy)

    assert (3, Decision(NextAction.ACCEPT, "not judged, because the task is a question")) == (
        row_of(asked).number,
        after(asked),
    )


@pytest.mark.parametrize("facts", [Facts(question=True), Facts(question=True, answered=True, end=StopReason.CYCLES)])
def test_row_3_a_question_without_an_answer_is_not(facts: Facts) -> None:
    assert NextAction.CONTINUE is after(facts).action


@pytest.mark.parametrize("policy", [Policy.JUDGE, Policy.CHECKS])
@pytest.mark.parametrize("evaluation", [RED, BLOCKER], ids=["check", "blocker"])
def test_row_4_what_is_red_is_never_accepted(policy: Policy, evaluation: Evaluation) -> None:
    red = replace(GOOD, red=True, green=False, policy=policy)

    assert (4, NextAction.CONTINUE) == (row_of(red).number, after(red, evaluation).action)


@pytest.mark.row("C31")
@pytest.mark.parametrize("end", NOT_DONE)
def test_row_5_unfinished_work_is_accepted_if_it_changed_something_and_a_judge_wants_it(end: StopReason) -> None:
    unfinished = replace(GOOD, end=end)

    assert (5, NextAction.ACCEPT) == (row_of(unfinished).number, after(unfinished).action)


@pytest.mark.parametrize("end", NOT_DONE)
@pytest.mark.parametrize(
    "facts",
    [
        replace(GOOD, changed=False),
        replace(GOOD, judged=0.79),
        replace(GOOD, judged=None, unjudged="no key"),
        replace(DONE, green=True, passing=3, turned=("a",), policy=Policy.CHECKS),
        replace(DONE, changed=False, question=True),
    ],
    ids=["unchanged", "low", "unjudged", "green", "question"],
)
def test_row_5_and_else_never(facts: Facts, end: StopReason) -> None:
    decided = after(replace(facts, end=end)).action
    ends = {
        StopReason.BUDGET: NextAction.ABORT_BUDGET,
        StopReason.TIME: NextAction.ABORT_TIMEOUT,
        StopReason.LOOP: NextAction.ABORT_LOOP,
        StopReason.REFUSED: NextAction.ACCEPT_BEST,
    }

    assert ends.get(end, NextAction.CONTINUE) is decided


def test_row_5_a_refusal_ends_with_the_words_of_the_model() -> None:
    work = ExecutionResult("I cannot help with that.\nSorry.", ended=StopReason.REFUSED)
    one = Iteration(plan=Plan(), work=work, cost=Cost(), facts=Facts(end=StopReason.REFUSED, answered=True))

    assert Decision(NextAction.ACCEPT_BEST, "the model refused: I cannot help with that.") == decide(
        [one], Limits(), Cost()
    )


@pytest.mark.parametrize("policy", [Policy.JUDGE, Policy.CHECKS])
@pytest.mark.parametrize("green", [True, False])
def test_row_6_nothing_is_never_accepted(policy: Policy, green: bool) -> None:
    nothing = Facts(judged=1.0, green=green, passing=int(green), policy=policy)

    assert (6, Decision(NextAction.CONTINUE, "nothing was done")) == (row_of(nothing).number, after(nothing))


@pytest.mark.parametrize("score", [0.8, 0.80000001, 1.0])
@pytest.mark.parametrize("changed", [True, False])
def test_row_7_a_score_at_the_threshold_is_accepted(score: float, changed: bool) -> None:
    good = replace(GOOD, judged=score, changed=changed)

    assert (7, NextAction.ACCEPT) == (row_of(good).number, after(good).action)


def test_row_7_a_score_below_it_is_not_even_where_every_check_passes() -> None:
    low = replace(DONE, judged=0.79, green=True, passing=9, turned=("a",))

    assert Decision(NextAction.CONTINUE, "score 0.79 is below the threshold 0.80") == after(low)


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0.795, "0.795 is below the threshold 0.800"), (0.79996, "0.79996 is below the threshold 0.80000")],
)
def test_a_score_just_below_the_threshold_is_shown_to_differ_from_it(score: float, shown: str) -> None:
    assert Decision(NextAction.CONTINUE, f"score {shown}") == after(replace(DONE, judged=score))


def test_row_7_a_silent_judge_ends_the_run_and_a_resume_may_ask_it_again() -> None:
    silent = replace(DONE, green=True, passing=9, unjudged="401 invalid key")

    assert Decision(NextAction.ACCEPT_BEST, "not judged: 401 invalid key", unjudged=True) == after(silent)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (Facts(turned=("a",), passing=5), "not judged: 1 check turned green"),
        (Facts(turned=("a", "b"), passing=5), "not judged: 2 checks turned green"),
        (Facts(passing=12), "not judged: 12 checks still pass"),
        (Facts(passing=1), "not judged: 1 check still passes"),
    ],
)
def test_row_8_checks_accept_a_change_that_they_support(facts: Facts, reason: str) -> None:
    checked = replace(facts, answered=True, changed=True, green=True, policy=Policy.CHECKS)

    assert (8, Decision(NextAction.ACCEPT, reason)) == (row_of(checked).number, after(checked))


def test_row_8_passing_checks_prove_nothing_about_words() -> None:
    words = Facts(answered=True, green=True, passing=12, policy=Policy.CHECKS)

    assert Decision(NextAction.CONTINUE, "nothing was changed, so passing checks prove nothing") == after(words)


def test_row_8_where_nothing_can_check_it_it_ends_at_once() -> None:
    unchecked = replace(DONE, policy=Policy.CHECKS)
    missing = Evaluation(missing=("pytest is not installed",))

    assert Decision(NextAction.ACCEPT_BEST, "not judged, and no check ran") == after(unchecked)
    assert "not judged, and no check ran: pytest is not installed" == after(unchecked, missing).reason


def test_row_8_checks_that_failed_before_and_still_fail_did_run() -> None:
    broken = Evaluation(checks=(Check("adds", False, required=False),))

    assert "not judged, and no required check passes" == after(replace(DONE, policy=Policy.CHECKS), broken).reason


def test_row_8_with_a_check_missing_the_others_do_not_accept() -> None:
    partly = replace(DONE, passing=3, green=False, policy=Policy.CHECKS)

    assert NextAction.CONTINUE is after(partly).action


# What the facts are made of.

CHANGE = ExecutionResult("Done.", diff="+a", files=("a.py",))
ASKS = Plan(asks=True)


def facts(
    work: ExecutionResult = CHANGE,
    evaluation: Evaluation | None = None,
    plan: Plan | None = None,
    policy: Policy = Policy.JUDGE,
) -> Facts:
    failed = (("", "test_a.py::test_a"), ("", "lint"))
    return observe(plan or Plan(), work, evaluation, policy=policy, failed=failed)


def test_checks_are_never_a_number() -> None:
    observed = facts(evaluation=Evaluation(checks=(Check("unit", True), Check("lint", True))))

    assert (None, True, 2) == (observed.judged, observed.green, observed.passing)


def test_a_score_that_misses_the_threshold_by_rounding_alone_is_good_enough() -> None:
    dimensions = zip((1.0, 0.9, 0.5, 0.5), (0.4, 0.25, 0.15, 0.2), strict=True)
    mean = Evaluation(scores=tuple(Score("quality", value, weight) for value, weight in dimensions))

    assert NextAction.ACCEPT is after(facts(evaluation=mean), mean).action


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (Check("lint", True), ("lint",)),
        (Check("test_a.py::test_a", True, file="test_a.py"), ("test_a.py::test_a",)),
        (Check("test_a.py::test_a", True, file="a.py"), ()),
        (Check("lint", True, required=False), ()),
        (Check("lint", False), ()),
        (Check("new", True), ()),
        (Check("lint", True, evaluator="another"), ()),
    ],
    ids=["turned", "other file", "own file", "optional", "still red", "new", "of another evaluator"],
)
def test_a_check_turns_green_only_with_its_own_file_unchanged(check: Check, expected: tuple[str, ...]) -> None:
    assert expected == facts(evaluation=Evaluation(checks=(check,))).turned


def test_a_required_check_that_is_missing_leaves_the_work_neither_green_nor_red() -> None:
    observed = facts(evaluation=Evaluation(checks=(Check("unit", True),), missing=("lint timed out",)))

    assert (False, False) == (observed.green, observed.red)


def test_what_failed_before_and_is_not_required_forbids_nothing() -> None:
    observed = facts(evaluation=Evaluation(checks=(Check("unit", True), Check("old", False, required=False))))

    assert (True, False) == (observed.green, observed.red)


def test_a_question_is_one_only_if_nothing_was_changed() -> None:
    assert facts(ExecutionResult("It is 3."), plan=ASKS).question
    assert not facts(CHANGE, plan=ASKS).question
    assert not facts(ExecutionResult("It is 3."), plan=Plan()).question


def test_an_effect_outside_the_workspace_is_a_change() -> None:
    sent = ExecutionResult("Sent.", calls=(EffectCall("post {}", "done", ("post completed",)),))
    tried = ExecutionResult("Tried.", calls=(EffectCall("run_command ls", "exit code 0"),))

    assert (True, False) == (facts(sent).changed, facts(tried).changed)
    assert not facts(sent, plan=ASKS).question
