"""What is left of a run that ended with only a judgement missing: the work is known, what was said of it is not."""

import pytest

from openkoi_hookspecs import (
    Baseline,
    Cost,
    Decision,
    Evaluation,
    Event,
    ExecutionResult,
    Message,
    NextAction,
    Plan,
    Record,
    Response,
    StreamEnd,
    Task,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_runlog.past_tasks import PastTask
from openkoi_runlog.run_replay import RunReplay, build_replay

pytestmark = pytest.mark.unit

AT = "2026-11-21T10:00:00.000000Z"
MISSING = Decision(NextAction.ACCEPT_BEST, "not judged: no answer", unjudged=True)
SILENT = Evaluation(unavailable_reason="no answer")
PAID = events.ModelResponse("acme/judge", Response((), StreamEnd(Usage(input=1))), 0.5, role="evaluator")
VERDICT: tuple[Event, ...] = (
    events.EvaluationFinished(SILENT, ("judge",)),
    PAID,
    events.IterationFinished(0, None, Cost()),
    events.DecisionMade(0, MISSING, Cost()),
    events.RunCompleted(MISSING, Cost()),
)
WORKED = events.ExecutionFinished(ExecutionResult("done"))
BEGUN: tuple[Event, ...] = (
    events.TaskStarted(Task("t")),
    events.BaselineSaved("before"),
    events.ChecksBaseline(Baseline("testrunner")),
    events.PlanReady(Plan()),
    events.MessageAdded(Message.user("t")),
    WORKED,
)


def rerun(*happened: Event) -> RunReplay:
    return build_replay([Record(str(n), AT, "run-1", event) for n, event in enumerate(happened)], "run-1")


@pytest.mark.parametrize("times", [1, 2, 3])
def test_however_often_the_judgement_was_missing_only_the_work_is_known(times: int) -> None:
    again = rerun(*BEGUN, *VERDICT * times)

    assert WORKED == again.pop_event(events.ExecutionFinished)
    assert (None, None, False) == (
        again.pop_event(events.EvaluationFinished),
        again.pop_event(events.DecisionMade),
        again.skips_evaluation(),
    )
    assert (True, 0.5 * times) == (again.rejudge, sum(paid.usd for paid in again.paid))


def test_a_judgement_that_came_at_last_is_known() -> None:
    accepted = Decision(NextAction.ACCEPT, "good")
    judged = events.EvaluationFinished(Evaluation(), ("judge",))

    verdict = (judged, events.IterationFinished(0, 0.9, Cost()), events.DecisionMade(0, accepted, Cost()))
    again = rerun(*BEGUN, *VERDICT, events.RunResumed(), *verdict)

    assert WORKED == again.pop_event(events.ExecutionFinished)
    assert judged == again.pop_event(events.EvaluationFinished)


def test_an_earlier_iteration_that_was_judged_stays_known() -> None:
    judged = events.EvaluationFinished(Evaluation(suggestion="more"), ("judge",))
    go_on = events.DecisionMade(0, Decision(NextAction.CONTINUE, "on"), Cost())
    second = (events.MessageAdded(Message.user("on")), events.ExecutionFinished(ExecutionResult("better")))

    again = rerun(*BEGUN, judged, events.IterationFinished(0, 0.5, Cost()), go_on, *second, *VERDICT)

    assert (WORKED, judged) == (again.pop_event(events.ExecutionFinished), again.pop_event(events.EvaluationFinished))
    assert (second[1], None) == (again.pop_event(events.ExecutionFinished), again.pop_event(events.EvaluationFinished))


def test_the_baselines_are_known_and_whether_a_tool_was_called_after_them() -> None:
    again = rerun(*BEGUN, *VERDICT)

    assert ({"testrunner": Baseline("testrunner")}, False) == (again.baselines, again.called)


@pytest.mark.parametrize(
    ("ended", "unjudged", "resumable"),
    [
        ("", False, True),
        ("failed", False, True),
        ("escalate", False, True),
        ("accept", False, False),
        ("accept_best", False, False),
        ("accept_best", True, True),
        ("abort_budget", True, True),
    ],
)
def test_what_was_cut_short_waits_or_was_not_judged_can_be_resumed(ended: str, unjudged: bool, resumable: bool) -> None:
    assert resumable is PastTask("run-1", "at", "t", "acme/m", ended=ended, unjudged=unjudged).resumable


def test_a_run_is_not_held_up_by_calls_that_a_plugin_does_not_make_again() -> None:
    call = ToolCall("plugin-1", "look", {})
    called = (
        events.ToolCallStarted(call, by_plugin=True),
        events.ToolCallFinished(ToolResult("x", call=call.id), True),
    )
    again = rerun(events.TaskStarted(Task("t")), *called)

    assert not again.is_active
    assert not again.covers(events.ModelDelta("new"))
    assert ToolResult("x", call=call.id) == again.pop_result(call, repeatable=False)
