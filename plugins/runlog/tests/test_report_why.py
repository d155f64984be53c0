"""Why it was decided so: what gated, what counted how much, what each vote said; from the records alone."""

from collections.abc import Sequence

import pytest

from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    EvaluationMode,
    Event,
    ExecutionResult,
    Facts,
    Finding,
    Limits,
    NextAction,
    Policy,
    Recall,
    Record,
    Score,
    Severity,
    StopReason,
    Task,
    events,
)
from openkoi_runlog.report import build_report, explain_run

pytestmark = pytest.mark.unit

SCORES = (Score("tests", 1.0, 0.3), Score("walls", 0.8, 0.45), Score("roof", 0.4, 0.15))
GO_ON = Decision(NextAction.CONTINUE, "it can still be better")


def vote(walls: float, roof: float) -> tuple[Score, ...]:
    return Score("walls", walls, 0.75), Score("roof", roof, 0.25)


def lap(
    number: int,
    evaluation: Evaluation | None,
    *voted: events.JudgeVoted,
    decision: Decision = GO_ON,
    mode: EvaluationMode = EvaluationMode.FULL,
) -> list[Event]:
    judged = [events.EvaluationFinished(evaluation, ("tests", "judge"))] if evaluation else []
    return [
        *voted,
        *judged,
        events.IterationFinished(number, None, Cost(), mode),
        events.DecisionMade(number, decision, Cost()),
    ]


def why(*happened: Event) -> list[str]:
    event = events.TaskStarted(Task("Mend the roof", limits=Limits(quality_threshold=0.8)))
    records = [Record(str(n), "2026-11-22T10:00:00Z", "run-1", one) for n, one in enumerate([event, *happened])]
    return list(explain_run(build_report(records)))


def row(title: str, lines: Sequence[str]) -> list[str]:
    return [line.strip().removeprefix(title).strip() for line in lines if line.strip().startswith(title)]


@pytest.mark.row("C82")
def test_the_votes_of_the_judge_are_told_and_their_median() -> None:
    votes = vote(0.8, 0.6), vote(0.9, 0.7), vote(0.7, 0.8)
    lines = why(
        *lap(
            0, Evaluation(scores=SCORES), events.JudgeVoted("house", votes, calls=3, characters=30, full_characters=10)
        )
    )

    assert ["house, full, 3 calls"] == row("judge", lines)
    assert [
        "1  0.75  walls 0.80, roof 0.60",
        "2  0.85  walls 0.90, roof 0.70",
        "3  0.72  walls 0.70, roof 0.80",
    ] == row("vote", lines)
    assert ["walls 0.80, roof 0.70: the first vote was close to the threshold"] == row("median", lines)


@pytest.mark.row("C82")
def test_of_an_answer_that_changed_nothing_it_is_told_why_there_are_several_votes() -> None:
    voted = events.JudgeVoted("house", (vote(1.0, 1.0),) * 3, calls=3, characters=30, full_characters=10)

    lines = why(events.ExecutionFinished(ExecutionResult("It stands.")), *lap(0, Evaluation(scores=SCORES), voted))

    assert ["walls 1.00, roof 1.00: nothing was changed"] == row("median", lines)


@pytest.mark.parametrize(
    ("facts", "reply"),
    [
        (Facts(), "ended: done, not judged, a judge decides"),
        (
            Facts(end=StopReason.BUDGET, limit="tokens", changed=True, red=True, judged=0.5),
            "ended: budget (tokens), files were changed, required checks fail, judged 0.50, a judge decides",
        ),
        (
            Facts(answered=True, green=True, turned=("t",), policy=Policy.CHECKS),
            "ended: done, the model answered, required checks pass, 1 check fixed, not judged, checks decide",
        ),
        (
            Facts(answered=True, question=True, policy=Policy.NONE),
            "ended: done, the model answered, the task was a question, not judged, nothing is evaluated",
        ),
    ],
)
def test_the_facts_that_decided_are_told(facts: Facts, reply: str) -> None:
    decided = events.DecisionMade(0, GO_ON, Cost(), facts)

    assert [reply] == row("facts", why(events.IterationFinished(0, None, Cost(), EvaluationMode.FULL), decided))


@pytest.mark.row("C82", "C17")
def test_what_each_score_counts_is_told_and_on_which_side_of_the_threshold_they_come_to_lie() -> None:
    lines = why(*lap(0, Evaluation(checks=(Check("tests", True),), scores=SCORES)))

    assert ["tests 1.00 (33%), walls 0.80 (50%), roof 0.40 (17%)"] == row("weights", lines)
    assert ["0.80; it reaches 0.80"] == row("score", lines)
    assert ["iteration 1: continue: it can still be better"] == [lines[2].strip()]


@pytest.mark.row("C82")
def test_what_gates_is_told_and_what_the_score_was_without_it() -> None:
    checks = Check("unit", False), Check("lint", False, required=False), Check("types", True)
    leak = Finding("It leaks", Severity.BLOCKER, where="roof.py:3")
    lines = why(*lap(0, Evaluation(checks=checks, scores=SCORES, findings=(leak, Finding("Draughty")))))

    assert ["3 checks, 2 red: unit; lint (informational: it failed before the work began)"] == row("checks", lines)
    assert ["1 required check failed: the score is capped at 0.50", "a blocker is open: It leaks (roof.py:3)"] == row(
        "gate", lines
    )
    assert ["0.50, capped from 0.80; it is below 0.80"] == row("score", lines)
    assert row("findings", lines)[0].startswith("1 blocker, 1 important")


@pytest.mark.parametrize(("red", "reply"), [(0, "9 checks, none red"), (5, "9 checks, 5 red: t0; t1; t2 and 2 more")])
def test_of_many_checks_the_first_red_ones_are_named(red: int, reply: str) -> None:
    lines = why(*lap(0, Evaluation(checks=tuple(Check(f"t{n}", n >= red) for n in range(9)), scores=SCORES)))

    assert [reply] == row("checks", lines)


@pytest.mark.row("C82", "EVAL-27")
def test_what_was_spared_and_what_is_from_before_is_told() -> None:
    part = events.JudgeVoted(
        "house",
        (vote(0.7, 0.4),),
        mode=EvaluationMode.INCREMENTAL,
        carried_over=("roof",),
        calls=1,
        characters=20,
        full_characters=80,
    )
    skipped = events.JudgeVoted(
        "house", (), mode=EvaluationMode.SKIPPED, carried_over=("walls", "roof"), full_characters=80
    )
    lines = why(*lap(0, Evaluation(scores=SCORES), part), *lap(1, Evaluation(scores=SCORES), skipped))

    assert ["house, incremental, 1 call, 75% of its tokens saved", "house, skipped, no model was called"] == row(
        "judge", lines
    )
    assert [
        "roof, carried over from the previous evaluation",
        "walls, roof, carried over from the previous evaluation",
    ] == row("carried", lines)


def test_work_that_nobody_judged_and_a_judgement_that_could_not_be_had_say_so() -> None:
    silent = Evaluation(unavailable_reason="the judge is away")
    lines = why(*lap(0, None), *lap(1, silent), events.RunFailed("interrupted"))

    assert ["not evaluated"] == row("judged", lines)
    assert ["no judgment: the judge is away"] == row("gate", lines)
    assert ["no checks ran"] == row("checks", lines)
    assert ["none"] == row("score", lines)
    assert "  interrupted" == lines[-1]


def test_a_reused_evaluation_is_explained_again() -> None:
    found = Evaluation(scores=SCORES)
    lines = why(*lap(0, found), *lap(1, found, mode=EvaluationMode.CACHED))

    assert ["unchanged since the last iteration; reused its score"] == row("judged", lines)
    assert 2 == len(row("score", lines))


def test_the_best_iteration_is_named_where_there_are_several() -> None:
    over = events.RunCompleted(Decision(NextAction.ACCEPT_BEST, "used up"), Cost(), best=0, iterations=2)

    assert "  best: iteration 1" == why(*lap(0, None), *lap(1, None), over)[-1]


@pytest.mark.parametrize("control", [one for one in events.ControlOutcome if one is not events.ControlOutcome.NONE])
def test_what_came_of_trying_the_judge_is_told(control: events.ControlOutcome) -> None:
    lines = why(*lap(0, Evaluation(), events.JudgeVoted("house", (vote(1, 1),), note="Odd.", calls=1, control=control)))

    assert "Odd." == row("note", lines)[0]
    assert 2 == len(row("note", lines))


def test_a_log_without_a_beginning_cannot_tell() -> None:
    assert ["The start of this task is missing from the log, so its decision cannot be explained."] == list(
        explain_run(build_report([]))
    )


def test_what_the_run_was_not_shown_is_named_with_the_reason() -> None:
    held_out = events.RecallFinished(Recall([], ["Use `tab`.", "2 similar past tasks"]))

    assert "  not shown, to measure whether it helps: Use `tab`.; 2 similar past tasks" in why(held_out)
    assert not [line for line in why(events.RecallFinished(Recall())) if "not shown" in line]
