"""A run that is over, told from its records: what a process that was killed had no time to learn from.

All that a run teaches is written down before its result is out, so the log is the outbox; ``Learned`` takes a run out
of it. Pure; knows records, and no ledger.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from openkoi_hookspecs import (
    Decision,
    Evaluation,
    Event,
    Finding,
    Iteration,
    Plan,
    Record,
    Result,
    Severity,
    Task,
    Work,
    events,
)


@dataclass(slots=True)
class Telling:
    """How far a run is told. ``judged`` is what was said of the work that was done last."""

    task: Task | None = None
    plan: Plan = field(default_factory=Plan)
    work: Work | None = None
    judged: Evaluation | None = None
    best: Evaluation | None = None
    escalated: bool = False
    done: list[Iteration] = field(default_factory=list)
    end: events.RunCompleted | None = None

    def take(self, event: Event) -> None:
        """Take in what happened next."""
        match event:
            case events.TaskStarted(task=task):
                self.task = task
            case events.Planned(plan=plan):
                self.plan = plan
            case events.Worked(work=work):
                self.work, self.judged = work, None
            case events.Evaluated(evaluation=evaluation):
                self.judged = evaluation
            case events.Iterated(spent=spent) if self.work is not None:
                self.done.append(Iteration(plan=self.plan, work=self.work, evaluation=self.judged, spent=spent))
                self.work, self.best = None, better(self.best, self.judged)
            case events.Iterated(iteration=number) if number == len(self.done) - 1:
                self.done[-1] = replace(self.done[-1], evaluation=self.judged)  # resumed for a judgement alone
            case events.Decided(ruling=ruling, facts=facts):
                if self.done:
                    self.done[-1] = replace(self.done[-1], facts=facts)
                self.plan = with_feedback(self.plan, self.best if ruling.fresh else self.judged)
                self.escalated = ruling.decision is Decision.ESCALATE
            case events.Replied(answer=answer) if self.escalated:
                self.plan, self.escalated = with_advice(self.plan, answer or ""), False
            case events.RunCompleted():
                self.end = event

    @property
    def result(self) -> Result | None:
        """How it ended; None while it has not, or when nothing was done in it."""
        if self.task is None or self.end is None or not self.done:
            return None
        best = self.done[min(self.end.best, len(self.done) - 1)]
        return Result(self.task, self.end.ruling, best=best, iterations=tuple(self.done), spent=self.end.spent)


def result_of(records: Iterable[Record]) -> Result | None:
    """How a run ended, told from its own records."""
    telling = Telling()
    for record in records:
        telling.take(record.event)
    return telling.result


def better(one: Evaluation | None, other: Evaluation | None) -> Evaluation | None:
    """The evaluation of the better work, in the order in which a run chooses its best iteration."""
    known = [each for each in (one, other) if each is not None and not each.unknown]
    return max(known, key=merit, default=None)


def merit(judged: Evaluation) -> tuple[bool, bool, bool, float, int]:
    """How good work is, as the kernel compares iterations: judged before unjudged, then checks, blockers and score."""
    clean = not judged.failing, not judged.blockers
    return judged.score is not None, *clean, judged.score or 0.0, -len(judged.failing)


def with_feedback(plan: Plan, judged: Evaluation | None) -> Plan:
    """The plan for the next attempt: what is open, and the line of advice."""
    if judged is None:
        return replace(plan, feedback=(), suggestion="")
    return replace(plan, feedback=judged.open, suggestion=judged.suggestion)


def with_advice(plan: Plan, said: str) -> Plan:
    """The same, with what a person wants first."""
    wish = (Finding(said, Severity.BLOCKER, rule="person", fix=said),) if said else ()
    return replace(plan, feedback=wish + plan.feedback)
