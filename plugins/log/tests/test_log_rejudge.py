"""What is left of a run that ended with only a judgement missing: the work is known, what was said of it is not."""

import pytest

from openkoi_hookspecs import (
    Baseline,
    Decision,
    Done,
    Evaluation,
    Event,
    Message,
    Plan,
    Record,
    Reply,
    Ruling,
    Spend,
    Task,
    Usage,
    Work,
    events,
)
from openkoi_log.history import Past
from openkoi_log.rerun import Rerun, rerun_of

AT = "2026-11-21T10:00:00.000000Z"
MISSING = Ruling(Decision.ACCEPT_BEST, "not judged: no answer", unjudged=True)
SILENT = Evaluation(unknown="no answer")
PAID = events.Answered("acme/judge", Reply((), Done(Usage(input=1))), 0.5, role="evaluator")
VERDICT: tuple[Event, ...] = (
    events.Evaluated(SILENT, ("judge",)),
    PAID,
    events.Iterated(0, None, Spend()),
    events.Decided(0, MISSING, Spend()),
    events.RunCompleted(MISSING, Spend()),
)
WORKED = events.Worked(Work("done"))
BEGUN: tuple[Event, ...] = (
    events.TaskStarted(Task("t")),
    events.Kept("before"),
    events.ChecksBaseline(Baseline("testrunner")),
    events.Planned(Plan()),
    events.Prompted(Message.user("t")),
    WORKED,
)


def rerun(*happened: Event) -> Rerun:
    return rerun_of([Record(str(n), AT, "run-1", event) for n, event in enumerate(happened)], "run-1")


@pytest.mark.parametrize("times", [1, 2, 3])
def test_however_often_the_judgement_was_missing_only_the_work_is_known(times: int) -> None:
    again = rerun(*BEGUN, *VERDICT * times)

    assert WORKED == again.take(events.Worked)
    assert (None, None, False) == (again.take(events.Evaluated), again.take(events.Decided), again.unjudged())
    assert (True, 0.5 * times) == (again.rejudge, sum(paid.usd for paid in again.paid))


def test_a_judgement_that_came_at_last_is_known() -> None:
    accepted = Ruling(Decision.ACCEPT, "good")
    judged = events.Evaluated(Evaluation(), ("judge",))

    verdict = (judged, events.Iterated(0, 0.9, Spend()), events.Decided(0, accepted, Spend()))
    again = rerun(*BEGUN, *VERDICT, events.Continued(), *verdict)

    assert WORKED == again.take(events.Worked)
    assert judged == again.take(events.Evaluated)


def test_an_earlier_iteration_that_was_judged_stays_known() -> None:
    judged = events.Evaluated(Evaluation(suggestion="more"), ("judge",))
    go_on = events.Decided(0, Ruling(Decision.CONTINUE, "on"), Spend())
    second = (events.Prompted(Message.user("on")), events.Worked(Work("better")))

    again = rerun(*BEGUN, judged, events.Iterated(0, 0.5, Spend()), go_on, *second, *VERDICT)

    assert (WORKED, judged) == (again.take(events.Worked), again.take(events.Evaluated))
    assert (second[1], None) == (again.take(events.Worked), again.take(events.Evaluated))


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
    assert resumable is Past("run-1", "at", "t", "acme/m", ended=ended, unjudged=unjudged).resumable
