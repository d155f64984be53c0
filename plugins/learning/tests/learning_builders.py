"""Build runs, entries and learning states for tests concisely."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    Event,
    ExecutionResult,
    Finding,
    Iteration,
    LearningStatus,
    NextAction,
    Plan,
    Record,
    Result,
    Score,
    Severity,
    Task,
)
from openkoi_learning.entry import LearningEntry, Trust, entry_id
from openkoi_learning.events import EntryUpdated
from openkoi_learning.extract_lessons import extract_entries
from openkoi_learning.lesson import Lesson
from openkoi_learning.merge import NO_FAULTS, Faults
from openkoi_learning.pipeline import derive_changes
from openkoi_learning.provenance import SourcesRead
from openkoi_learning.selection import SelectionRules, TaskQuery
from openkoi_learning.state import LearningState

NOW = "2026-03-01T00:00:00Z"
COMMAS = Finding("The export breaks", Severity.BLOCKER, rule="columns", where="export.py:3", fix="Use `semicolon`.")
NEVER = SelectionRules(withheld=0.0)


def patch(path: str, *lines: str) -> str:
    """The diff of a file to which lines were added."""
    added = "".join(f"+{line}\n" for line in lines)
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{added}"


def turn(evaluation: Evaluation | None, plan: Plan | None = None, diff: str = "") -> Iteration:
    return Iteration(plan=plan or Plan(), work=ExecutionResult("words", diff=diff), evaluation=evaluation, cost=Cost())


def lesson(*turns: Iteration, answers: Sequence[tuple[str, str]] = (), task: Task | None = None) -> Lesson:
    good = turns[-1].evaluation is None or not turns[-1].evaluation.failing
    decision = Decision(NextAction.ACCEPT if good else NextAction.ACCEPT_BEST, "")
    task = task or Task("Export the invoices", project="pond")
    result = Result(task, decision, best=turns[-1], iterations=turns, cost=Cost())
    return Lesson(run="run1", result=result, project="pond", at=NOW, answers=answers)


def red(*findings: Finding, score: float = 0.4) -> Evaluation:
    return Evaluation(checks=(Check("columns", passed=False),), scores=(Score("s", score),), findings=findings)


def green(score: float = 0.9, *findings: Finding) -> Evaluation:
    return Evaluation(checks=(Check("columns", passed=True),), scores=(Score("s", score),), findings=findings)


def entry(text: str = "Use `semicolon` for the export.", **more: object) -> LearningEntry:
    facts: dict[str, object] = {
        "project": "pond",
        "standing": LearningStatus.ACTIVE,
        "trust": Trust.CHECK,
        "since": NOW,
    }
    return LearningEntry(entry_id("heuristic", text, "pond"), "heuristic", text, **{**facts, **more})  # type: ignore[arg-type]  # by field name


def book(entries: Sequence[LearningEntry], *events: tuple[str, Event]) -> LearningState:
    state = LearningState()
    output = [*(("start", EntryUpdated(one)) for one in entries), *events]
    for number, (run, event) in enumerate(output):
        state.apply(Record(f"{number:05}", NOW, run, event))
    return state


def asked(text: str = "export the invoices", **more: Any) -> TaskQuery:
    return replace(TaskQuery(run="r", text=text, project="pond", now=NOW), **more)


def changes(
    known: Iterable[LearningEntry],
    lesson: Lesson,
    read: SourcesRead,
    more: Sequence[LearningEntry] = (),
    faults: Faults = NO_FAULTS,
) -> list[LearningEntry]:
    """The entries that change because of a run: by the rules, and by more entries found in it."""
    return derive_changes(known, lesson, [*extract_entries(lesson), *more], read, str, faults)
