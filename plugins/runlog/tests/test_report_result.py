"""What a run came to, from its records alone."""

import json
from collections.abc import Sequence
from dataclasses import replace

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
    Learning,
    Message,
    NextAction,
    Plan,
    Policy,
    Record,
    Response,
    Score,
    Severity,
    StopReason,
    StreamEnd,
    Task,
    Text,
    Usage,
    events,
)
from openkoi_runlog.report import EXIT_STATUSES, RunReport, build_report
from openkoi_runlog.report.finding_ids import number_findings

USAGE = {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0, "total": 0}
FINDINGS = (
    Finding("breaks on empty input", Severity.BLOCKER, rule="R1", where="a.py:3", detail="it reads", fix="return"),
    Finding("has no test"),
)


def records(*happened: Event, run: str = "run-1") -> list[Record]:
    return [Record(f"{n}", "2026-11-21T10:00:00Z", run, event, segment="s-1.jsonl") for n, event in enumerate(happened)]


def answered(usage: Usage, usd: float = 0.0, role: str = "executor") -> Event:
    return events.ModelResponse(f"acme/{role}", Response((Text("…"),), StreamEnd(usage)), usd, role=role)


def lap(number: int, score: float, text: str, decision: NextAction = NextAction.CONTINUE) -> list[Event]:
    """One iteration as it is written down."""
    evaluation = Evaluation(scores=(Score("quality", score),), findings=FINDINGS[number:])
    return [
        events.MessageAdded(Message.user("go on")),
        answered(Usage(input=100, output=10, cache_read=1_000), 0.01),
        events.ExecutionFinished(ExecutionResult(text, files=("a.py",))),
        answered(Usage(input=50, output=5), 0.001, "evaluator"),
        events.EvaluationFinished(evaluation, ("lint", "judge")),
        events.IterationFinished(number, score, Cost(tokens=1_165, usd=0.011, seconds=1.5), [*EvaluationMode][number]),
        events.DecisionMade(number, Decision(decision, f"because of {score}"), Cost()),
    ]


def whole() -> list[Event]:
    """A run of two iterations, of which the first is the best."""
    decision = Decision(NextAction.ACCEPT_BEST, "because of 0.5")
    return [
        events.TaskStarted(Task("mend it", session="s-1"), model="acme/executor", workspace="/w"),
        events.WarningIssued("the price is not known"),
        events.PlanReady(Plan()),
        *lap(0, 0.7, "first words"),
        *lap(1, 0.5, "second words", NextAction.ACCEPT_BEST),
        events.RunCompleted(decision, Cost(tokens=2_330, usd=0.022), best=0, iterations=2),
        answered(Usage(input=7), 0.0001, "small"),
        events.LearningSaved(Learning("l-1", "heuristic", "run the linter first")),
    ]


@pytest.mark.row("C53")
def test_findings_are_numbered_on_through_a_task() -> None:
    one, other, third = Finding("breaks"), Finding("is slow"), Finding("has no test")
    printed_text = [Evaluation(findings=some) for some in ((one, other), (other, third), (one,))]
    silent = Evaluation(unavailable_reason="no judge")

    assert [[1, 2], [2, 3], [2, 3], [4]] == [
        [*several.values()] for several in number_findings([printed_text[0], printed_text[1], silent, printed_text[2]])
    ]
    laps = [event for n, reply in enumerate(printed_text) for event in (events.EvaluationFinished(reply), decided(n))]
    decision = events.RunCompleted(Decision(NextAction.ACCEPT_BEST, "over"), Cost(), best=1)
    result = build_report(records(events.TaskStarted(Task("t")), *laps, decision)).build_result()
    assert [("F2", "is slow"), ("F3", "has no test")] == [(found["id"], found["title"]) for found in result["findings"]]


def decided(number: int) -> Event:
    return events.DecisionMade(number, Decision(NextAction.CONTINUE, "on"), Cost())


@pytest.mark.row("CLI-19", "C80", "C31", "C13", "ITER-06", "ITER-19", "C65")
def test_a_run_is_one_object_of_a_known_shape() -> None:
    usage = {"input": 150, "output": 15, "cache_read": 1_000, "cache_write": 0, "total": 1_165}
    one = {"usage": usage, "cost_usd": 0.011, "duration_ms": 1_500}

    assert build_report(records(*whole())).build_result("/data/s-1.jsonl") == {
        "schema": "openkoi.result/1",
        "ok": True,
        "accepted": False,
        "decision": "accept_best",
        "stop_reason": "because of 0.5",
        "task_id": "run-1",
        "session_id": "s-1",
        "output": "first words",
        "score": 0.7,
        "iterations": [
            {"n": 1, "score": 0.7, "decision": "continue", "eval_mode": "full", **one},
            {"n": 2, "score": 0.5, "decision": "accept_best", "eval_mode": "incremental", **one},
        ],
        "findings": [
            {
                "id": "F1",
                "severity": "blocker",
                "title": "breaks on empty input",
                "rule": "R1",
                "location": "a.py:3",
                "description": "it reads",
                "fix": "return",
            },
            {
                "id": "F2",
                "severity": "important",
                "title": "has no test",
                "rule": "",
                "location": None,
                "description": "",
                "fix": None,
            },
        ],
        "usage": {"input": 300, "output": 30, "cache_read": 2_000, "cache_write": 0, "total": 2_330},
        "cost_usd": 0.022,
        "costs": {
            "by_phase": {
                "execute": {"cost_usd": 0.02, "tokens": 2_220, "calls": 2},
                "evaluate": {"cost_usd": 0.002, "tokens": 110, "calls": 2},
                "learn": {"cost_usd": 0.0001, "tokens": 7, "calls": 1},
            },
            "by_model": {
                "acme/executor": {"cost_usd": 0.02, "tokens": 2_220, "calls": 2},
                "acme/evaluator": {"cost_usd": 0.002, "tokens": 110, "calls": 2},
                "acme/small": {"cost_usd": 0.0001, "tokens": 7, "calls": 1},
            },
        },
        "saved_tokens": {"delta": 0, "compression": 0, "eval_skip": 0, "incremental": 0, "prompt_cache": 2_000},
        "learnings": ["run the linter first"],
        "changed_files": ["a.py"],
        "models": {"executor": "acme/executor", "evaluator": "acme/evaluator", "small": "acme/small"},
        "evaluators": ["lint", "judge"],
        "warnings": ["the price is not known"],
        "transcript": "/data/s-1.jsonl",
    }


def test_the_object_is_json_whatever_happened() -> None:
    for length in range(len(whole()) + 1):
        assert json.loads(json.dumps(build_report(records(*whole()[:length])).build_result(), allow_nan=False))


def test_the_object_has_the_same_keys_whatever_happened() -> None:
    keys = list(build_report(records(*whole())).build_result())

    assert all(keys == list(build_report(records(*whole()[:length])).build_result()) for length in range(len(whole())))


def test_records_taken_one_by_one_come_to_the_same() -> None:
    report = RunReport()
    for record in records(*whole()):
        report.add_record(record)

    assert build_report(records(*whole())).build_result() == report.build_result()


@pytest.mark.row("C31")
@pytest.mark.parametrize(
    ("decision", "status", "accepted"),
    [
        (NextAction.ACCEPT, 0, True),
        (NextAction.ACCEPT_BEST, 3, False),
        (NextAction.ABORT_BUDGET, 4, False),
        (NextAction.ABORT_TIMEOUT, 5, False),
        (NextAction.ABORT_REGRESSION, 6, False),
        (NextAction.ABORT_LOOP, 7, False),
        (NextAction.ESCALATE, 8, False),
    ],
)
def test_a_result_is_ok_and_its_status_tells_how_it_ended(decision: NextAction, status: int, accepted: bool) -> None:
    completed = events.RunCompleted(Decision(decision, "why"), Cost())
    report = build_report(records(events.TaskStarted(Task("t")), completed))
    reply = report.build_result()

    assert (status, True, accepted, decision) == (report.status, reply["ok"], reply["accepted"], reply["decision"])


@pytest.mark.parametrize(
    ("action", "policy", "accepted"),
    [
        (NextAction.ACCEPT, Policy.NONE, None),
        (NextAction.ACCEPT, Policy.CHECKS, True),
        (NextAction.ACCEPT, Policy.JUDGE, True),
        (NextAction.ACCEPT_BEST, Policy.NONE, False),
    ],
)
def test_what_was_done_and_not_to_be_evaluated_is_neither_accepted_nor_not(
    action: NextAction, policy: Policy, accepted: bool | None
) -> None:
    decision = Decision(action, "not evaluated")
    decided = events.DecisionMade(0, decision, Cost(), Facts(policy=policy, answered=True))
    report = build_report(records(events.TaskStarted(Task("t")), decided, events.RunCompleted(decision, Cost())))

    assert (accepted, accepted) == (report.is_accepted, report.build_result()["accepted"])
    assert report.status == (3 if action is NextAction.ACCEPT_BEST else 0)


def test_every_decision_has_a_status() -> None:
    assert set(NextAction) == set(EXIT_STATUSES)


def test_a_run_that_failed_is_not_ok_and_says_why() -> None:
    report = build_report(records(events.TaskStarted(Task("t")), events.RunFailed("no model answered")))
    reply = report.build_result()

    assert (1, False, False, None) == (report.status, reply["ok"], reply["accepted"], reply["decision"])
    assert ("no model answered", "", None, []) == (
        reply["stop_reason"],
        reply["output"],
        reply["score"],
        reply["iterations"],
    )


def test_a_run_that_is_not_over_says_so() -> None:
    reply = build_report(records(events.TaskStarted(Task("t")))).build_result()

    assert (False, "the run has not ended", USAGE) == (reply["ok"], reply["stop_reason"], reply["usage"])


def test_what_was_begun_when_it_failed_is_told_and_paid() -> None:
    failed = [
        *whole()[:5],
        events.ExecutionFinished(ExecutionResult("half", ended=StopReason.BUDGET)),
        events.RunFailed("interrupted"),
    ]
    reply = build_report(records(*failed)).build_result()

    assert ("half", 0.01, 1_110) == (reply["output"], reply["cost_usd"], reply["usage"]["total"])


@pytest.mark.row("C15")
def test_work_that_nobody_judged_has_no_score_and_no_findings() -> None:
    decision = Decision(NextAction.ACCEPT, "not judged, because the task is a question")
    report = build_report(
        records(
            events.TaskStarted(Task("t")),
            events.ExecutionFinished(ExecutionResult("an answer")),
            events.IterationFinished(0, None, Cost(), EvaluationMode.SKIPPED),
            events.DecisionMade(0, decision, Cost()),
            events.RunCompleted(decision, Cost()),
        )
    )
    reply = report.build_result()

    assert (True, None, [], "an answer") == (reply["accepted"], reply["score"], reply["findings"], reply["output"])
    assert ["skipped"] == [one["eval_mode"] for one in reply["iterations"]]


def test_an_unknown_judgement_has_no_score() -> None:
    events_of_it = [
        events.EvaluationFinished(Evaluation(checks=(Check("a", True),), unavailable_reason="no judge"), ("judge",))
    ]
    decision = Decision(NextAction.ACCEPT_BEST, "over")
    printed_text = [events.TaskStarted(Task("t")), *events_of_it, events.DecisionMade(0, decision, Cost())]

    assert None is build_report(records(*printed_text)).build_result()["score"]


def test_a_log_without_the_evaluation_that_was_reused_has_its_score() -> None:
    decision = Decision(NextAction.ACCEPT, "good")
    reused = [
        events.IterationFinished(0, 0.9, Cost(), EvaluationMode.CACHED),
        events.DecisionMade(0, decision, Cost(), Facts(judged=0.9)),
    ]

    assert 0.9 == build_report(records(events.TaskStarted(Task("t")), *reused)).iterations[0].score


def test_scores_and_dollars_are_rounded() -> None:
    decision = Decision(NextAction.ACCEPT, "good")
    printed_text = [answered(Usage(), 0.1 + 0.2), events.EvaluationFinished(Evaluation(scores=(Score("x", 2 / 3),)))]
    reply = build_report(
        records(events.TaskStarted(Task("t")), *printed_text, events.DecisionMade(0, decision, Cost()))
    ).build_result()

    assert (0.6667, 0.3) == (reply["score"], reply["cost_usd"])


def waited() -> list[Event]:
    """A run that waited for a person in its only iteration, ended so, and was gone on with."""
    escalated, accepted = Decision(NextAction.ESCALATE, "a person has to allow it"), Decision(NextAction.ACCEPT, "good")
    return [
        events.TaskStarted(Task("t")),
        answered(Usage(input=10), 0.1),
        events.ExecutionFinished(ExecutionResult("may I?", ended=StopReason.PERSON)),
        events.IterationFinished(0, None, Cost(seconds=1.0), EvaluationMode.SKIPPED),
        events.DecisionMade(0, escalated, Cost()),
        events.RunCompleted(escalated, Cost()),
        events.RunResumed(),
        answered(Usage(input=20), 0.2),
        events.ExecutionFinished(ExecutionResult("done")),
        events.IterationFinished(0, None, Cost(seconds=3.0), EvaluationMode.SKIPPED),
        events.DecisionMade(0, accepted, Cost()),
        events.RunCompleted(accepted, Cost()),
    ]


@pytest.mark.row("LOOP-19")
def test_an_iteration_that_waited_for_a_person_is_told_once_as_it_was_gone_on_with() -> None:
    report = build_report(records(*waited()))
    reply = report.build_result()

    assert ("done", 0, 0.3) == (reply["output"], report.status, reply["cost_usd"])
    assert [(1, "accept", 30, 3_000)] == [
        (one["n"], one["decision"], one["usage"]["total"], one["duration_ms"]) for one in reply["iterations"]
    ]


def test_work_that_was_judged_only_when_resumed_is_told_with_its_words_and_files() -> None:
    unjudged, accepted = (
        Decision(NextAction.ACCEPT_BEST, "not judged", unjudged=True),
        Decision(NextAction.ACCEPT, "good"),
    )
    events_of_it = [
        events.TaskStarted(Task("t")),
        events.ExecutionFinished(ExecutionResult("done", files=("a.py",))),
        events.DecisionMade(0, unjudged, Cost()),
        events.RunCompleted(unjudged, Cost()),
        events.EvaluationFinished(Evaluation(scores=(Score("quality", 0.9),))),
        events.DecisionMade(0, accepted, Cost()),
        events.RunCompleted(accepted, Cost()),
    ]

    reply = build_report(records(*events_of_it)).build_result()

    assert ("done", ["a.py"], 0.9, True) == (reply["output"], reply["changed_files"], reply["score"], reply["accepted"])
    assert 1 == len(reply["iterations"])


def test_a_log_with_a_lost_line_is_told_all_the_same() -> None:
    lost = [event for event in whole() if not (isinstance(event, events.DecisionMade) and event.iteration == 0)]
    of_the_second = [replace(event, best=1) if isinstance(event, events.RunCompleted) else event for event in lost]

    assert "second words" == build_report(records(*of_the_second)).text


# Other runs among the records.


def sub_task() -> Sequence[Event]:
    return [
        events.TaskStarted(Task("a part", parent="run-1"), model="acme/other"),
        answered(Usage(input=1_000), 0.5),
        events.ExecutionFinished(ExecutionResult("words of the part")),
        events.WarningIssued("a warning of the part"),
        events.DecisionMade(0, Decision(NextAction.ACCEPT, "good"), Cost()),
        events.RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost()),
    ]


def mixed() -> list[Record]:
    """A run with a sub-task within its first iteration, and an unrelated run."""
    own, stranger = records(*whole()), records(*whole(), run="run-9")
    return [*own[:5], *records(*sub_task(), run="run-2"), *stranger, *own[5:]]


@pytest.mark.row("ITER-21")
def test_sub_tasks_are_paid_and_otherwise_left_out() -> None:
    alone, reply = build_report(records(*whole())).build_result(), build_report(mixed()).build_result()

    assert alone["cost_usd"] + 0.5 == reply["cost_usd"]
    assert alone["usage"]["total"] + 1_000 == reply["usage"]["total"]
    assert 1_165 + 1_000 == reply["iterations"][0]["usage"]["total"]
    for key in ("output", "warnings", "models", "decision", "evaluators", "score", "learnings"):
        assert alone[key] == reply[key]


def test_a_run_that_is_named_is_told_and_no_other() -> None:
    assert "words of the part" == build_report(mixed(), "run-2").text
    assert build_report(records(*whole(), run="run-9")).build_result() == build_report(mixed(), "run-9").build_result()
