"""Whether a run was undone is the same in every reader, whatever the user did with it."""

from pathlib import Path

import pytest

from openkoi_base.redact import Redactor
from openkoi_certify.outcomes import RunOutcome
from openkoi_cli.task_changes import read_changes
from openkoi_hookspecs import Cost, Decision, Event, ExecutionResult, NextAction, Record, Task, events
from openkoi_learning.events import EntriesShown
from openkoi_learning.log_view import LearningLogView
from openkoi_runlog import RunLog, find_task

SESSION = "20260101T000000-00000000000"
ACCEPTED = Decision(NextAction.ACCEPT, "good")
SAVED = events.BaselineSaved("before")
WORKED = events.ExecutionFinished(ExecutionResult("Done.", files=("a.py",), checkpoint="after"))
ENDED = (events.DecisionMade(0, ACCEPTED, Cost()), events.RunCompleted(ACCEPTED, Cost(), best=0))
UNDO, REDO = events.WorkspaceRestored("before"), events.WorkspaceRestored("after")
PARTLY = events.WorkspaceRestored("before", conflicts=("a.py",))
KEPT_NOW = events.WorkspaceRestored("", "found")
OPERATIONS: dict[str, tuple[bool, tuple[Event, ...]]] = {
    "nothing": (False, (WORKED, *ENDED)),
    "undo": (True, (WORKED, *ENDED, UNDO)),
    "undo and redo": (False, (WORKED, *ENDED, UNDO, REDO)),
    "undo twice": (True, (WORKED, *ENDED, UNDO, UNDO)),
    "undo with a conflict": (True, (WORKED, *ENDED, PARTLY)),
    "undo with a conflict, then by force": (True, (WORKED, *ENDED, PARTLY, UNDO)),
    "undo what was cut short": (True, (KEPT_NOW, UNDO)),
    "undo what was cut short, and redo it": (False, (KEPT_NOW, UNDO, events.WorkspaceRestored("found"))),
    "undo, resume": (False, (UNDO, events.RunResumed(), WORKED, *ENDED)),
    "undo, resume, undo": (True, (UNDO, events.RunResumed(), WORKED, *ENDED, UNDO)),
    "undo a fork": (True, (WORKED, *ENDED, events.WorkspaceRestored("forked"))),
    "undo a fork, resume": (False, (WORKED, events.WorkspaceRestored("forked"), events.RunResumed())),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_reader_agrees_whether_a_run_was_undone(name: str, tmp_path: Path) -> None:
    expected, happened = OPERATIONS[name]
    fork = [events.RunForked("other", 1, {}, "forked")] if "fork" in name else []
    shown = EntriesShown("Mend it", "p")
    happened = (*fork, events.TaskStarted(Task("Mend it"), workspace="/w"), shown, SAVED, *happened)
    records = [Record(f"{n:02}", f"2026-01-01T00:00:{n:02}Z", "r", event) for n, event in enumerate(happened)]
    outcome = RunOutcome()
    for record in records:
        outcome.add_record(record)
    log = RunLog(tmp_path / "sessions", SESSION, Redactor())
    log.append("r", [record.event for record in records])
    log.close()
    learned = LearningLogView(tmp_path / "sessions").read_now()
    changes = read_changes(find_task(tmp_path / "sessions", "r"), records)

    assert changes is not None
    assert (expected, expected, expected) == (outcome.view.undone, learned.exposures["r"].undone, changes.redoable)
    assert (expected and name != "undo with a conflict") == changes.undone
