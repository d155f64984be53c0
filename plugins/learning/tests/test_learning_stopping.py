"""Test the estimate of whether another iteration pays off, its reliability, and the decisions from it."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from poison_scenes import Home, verdict, write

from openkoi_hookspecs import Cost, Decision, Facts, NextAction, Record, Task, events
from openkoi_learning.stopping import NextIteration, Standing, calibration_error, estimate_chance, has_paid
from openkoi_runlog import RunLog, new_session_id
from openkoi_runlog.report import build_report, explain_run

GREEN, RED = Standing(0, False, 0.4), Standing(0, True, 0.4)
ON, OFF = Decision(NextAction.CONTINUE, "no"), Decision(NextAction.ACCEPT_BEST, "still no")


def decided(iteration: int, decision: Decision, *, red: bool = False, score: float = 0.4) -> events.DecisionMade:
    return events.DecisionMade(iteration, decision, Cost(), Facts(red=red, green=not red, judged=score))


def live_through(home: Home, runs: Sequence[bool]) -> None:
    """Log runs of two iterations of which the second one paid, or did not."""
    log = RunLog(home.folder / "home" / "data" / "sessions", new_session_id(), str)
    for number, paid in enumerate(runs):
        last = decided(1, Decision(NextAction.ACCEPT, "good"), score=0.9) if paid else decided(1, OFF)
        log.append(f"r{number}", [events.TaskStarted(Task("Write", project="pond")), decided(0, ON), last], sync=False)
    log.close()


def explain(home: Home) -> tuple[list[Decision], str]:
    """Do a task that every judge rejects; return its decisions, and the output of ``--why``."""
    home.workspace.mkdir()
    says = [part for value in (2, 3, 4) for part in (write(f"w{value}", f"VALUE = {value}\n"), "Done.")]
    judged = [verdict(0.4, suggestion="More.")] * 3
    records: list[Record] = home.do("Fix answer.py so that the value is right", says, judge=judged)
    decisions = [one.event.decision for one in records if isinstance(one.event, events.DecisionMade)]
    return decisions, "\n".join(explain_run(build_report(records)))


@pytest.mark.unit
def test_the_estimate_is_the_share_of_like_iterations_and_near_the_usual_one_without_any() -> None:
    iterations = [NextIteration(GREEN, paid=False)] * 30 + [NextIteration(RED, paid=True)] * 30

    assert estimate_chance(iterations, GREEN) < 0.1 < 0.9 < estimate_chance(iterations, RED)
    assert 0.4 < estimate_chance(iterations, Standing(2, False, 0.7)) < 0.6


@pytest.mark.unit
def test_an_iteration_pays_that_is_accepted_or_turns_green_or_scores_higher() -> None:
    assert has_paid(GREEN, decided(1, Decision(NextAction.ACCEPT, "")))
    assert has_paid(RED, decided(1, OFF))
    assert has_paid(GREEN, decided(1, OFF, score=0.5))
    assert not has_paid(GREEN, decided(1, OFF, score=0.41))
    assert not has_paid(RED, decided(1, OFF, red=True))


@pytest.mark.unit
def test_estimates_are_reliable_once_many_came_true_and_not_after_a_change() -> None:
    steady = [NextIteration(GREEN, paid=False)] * 120
    changed = [*[NextIteration(GREEN, paid=False)] * 60, *[NextIteration(GREEN, paid=True)] * 60]

    assert calibration_error(steady[:20]) is None
    assert (calibration_error(steady) or 1.0) < 0.05 < (calibration_error(changed) or 0.0)


def test_where_reliably_nothing_paid_the_first_iteration_is_the_last_and_why_says_so(tmp_path: Path) -> None:
    home = Home(tmp_path)
    live_through(home, [False] * 120)
    [only], why = explain(home)

    assert NextAction.ACCEPT_BEST is only.action
    assert "chance of helping" in only.reason
    assert "from 120 iterations of this project; calibration error 0.0" in why
    assert ", reliable\n" in why


@pytest.mark.parametrize(
    ("runs", "says"),
    [([False] * 30, "too few to rely on"), ([True] * 60 + [False] * 60, "too inaccurate to rely on")],
    ids=["few", "changed"],
)
def test_an_estimate_that_is_not_reliable_is_shown_and_decides_nothing(
    runs: Sequence[bool], says: str, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    live_through(home, runs)
    decisions, why = explain(home)

    assert len(decisions) > 1
    assert "similar cases" not in "".join(one.reason for one in decisions)
    assert says in why
