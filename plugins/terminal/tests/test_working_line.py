"""The working line, from the records of a run."""

from dataclasses import replace

import pytest

from openkoi_hookspecs import Cost, Decision, Event, Limits, NextAction, Record, Response, Task, Text, Usage, events
from openkoi_hookspecs.model import StreamEnd
from openkoi_terminal import WorkingFacts, WorkingLine, format_working_line

FULL = WorkingFacts(
    seconds=12,
    tokens=1234,
    usd=0.04,
    budget=0.5,
    iteration=2,
    iterations=3,
    scores=(0.71, 0.86),
    queued=1,
)


def paid(tokens: int, usd: float) -> Event:
    return events.ModelResponse("m", Response((Text("x"),), StreamEnd(Usage(output=tokens))), usd)


def facts_of(*happened: Event) -> WorkingFacts:
    line = WorkingLine()
    for event in happened:
        line.add_record(Record("1", "", "r", event))
    return line.facts(3)


def test_all_of_it() -> None:
    expected = (
        "Thinking… (12s · 1.2k tokens · $0.04 of $0.50 · iteration 2/3 · 0.71→0.86 · 1 queued · esc to interrupt)"
    )

    assert expected == format_working_line(FULL)


@pytest.mark.parametrize("width", range(28, 120))
def test_a_narrow_line_always_says_how_to_interrupt(width: int) -> None:
    line = format_working_line(replace(FULL, forecast=0.09, activity="Running a long command"), width=width)

    assert width >= len(line)
    assert "s · " in line
    assert line.endswith("esc to interrupt)")


@pytest.mark.parametrize(("seconds", "text"), [(59.9, "59s"), (185, "3m 05s"), (3725, "1h 02m")])
def test_time(seconds: float, text: str) -> None:
    assert f"Thinking… ({text} · esc to interrupt)" == format_working_line(WorkingFacts(seconds=seconds))


def test_one_token_is_not_several() -> None:
    assert "Thinking… (0s · 1 token · esc to interrupt)" == format_working_line(WorkingFacts(tokens=1))


def test_counts_what_was_paid_and_what_streams() -> None:
    started = events.TaskStarted(Task("Do it", limits=Limits(usd=0.5)))
    found = facts_of(started, events.CycleStarted(0, 30), paid(100, 0.02), events.ModelDelta("x" * 400))

    assert "Writing… (3s · 200 tokens · $0.02 of $0.50 · iteration 1/3 · esc to interrupt)" == format_working_line(
        found
    )


def test_forecasts_what_all_iterations_cost() -> None:
    started = events.TaskStarted(Task("Do it", limits=Limits(usd=0.5)))
    happened = (started, paid(100, 0.05), events.IterationFinished(0, 0.7, Cost(usd=0.05)))
    found = facts_of(*happened, events.DecisionMade(0, Decision(NextAction.CONTINUE, "it is too low"), Cost()))
    ended = facts_of(*happened, events.DecisionMade(0, Decision(NextAction.ACCEPT, "it is good"), Cost()))

    assert (2, 0.0) == (found.iteration, ended.forecast)
    assert pytest.approx(0.15) == found.forecast
    assert "$0.05 of $0.50, likely $0.15 · iteration 2/3 · 0.70" in format_working_line(found)


def test_a_forecast_does_not_exceed_the_budget() -> None:
    started = events.TaskStarted(Task("Do it", limits=Limits(usd=0.1)))

    assert 0.1 == facts_of(started, paid(1, 0.09), events.IterationFinished(0, None, Cost(usd=0.09))).forecast
