"""Ctrl-T shows the steps of the plan, and what the iteration under way is to fix."""

from openkoi_chat.inspection_commands import format_plan
from openkoi_hookspecs import Event, Finding, Plan, Record, Task, events
from openkoi_runlog.report import RunReport

STEPS = ("Read the bill", "Share it")


def report_of(*happened: Event) -> RunReport:
    report = RunReport()
    for event in happened:
        report.add_record(Record("1", "2026-01-01T00:00:00", "run", event))
    return report


def test_steps_are_numbered_and_findings_are_to_be_fixed() -> None:
    started = events.TaskStarted(Task("Share the bill"))
    planned = report_of(started, events.PlanReady(Plan(steps=STEPS)))
    fixing = report_of(started, events.PlanReady(Plan(steps=STEPS, feedback=(Finding("It does not add up"),))))

    assert ["Plan: the task as it was given, in one step."] == [*format_plan(report_of(started))]
    assert ["Plan:", "  1. Read the bill", "  2. Share it"] == [*format_plan(planned)]
    assert ["To fix in iteration 1:", "  - It does not add up"] == [*format_plan(fixing)][3:]
