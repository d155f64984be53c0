"""One iteration of a run, as its records describe it."""

from collections.abc import Iterable
from dataclasses import field, replace
from enum import StrEnum

from openkoi_hookspecs import (
    Cost,
    Decision,
    Evaluation,
    EvaluationMode,
    ExecutionResult,
    Facts,
    Finding,
    Iteration,
    NextAction,
    Plan,
    StopReason,
    Usage,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass


class IterationPhase(StrEnum):
    """How far an iteration got. Learning follows the last one and is not one of its phases."""

    PLAN = "plan"
    EXECUTE = "execute"
    EVALUATE = "evaluate"
    COMPLETE = "complete"
    ABORT = "abort"


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationView:
    """What an iteration did, what was found and decided, and what it cost.

    ``plan`` is the plan at its start. ``usage`` and ``usd`` count all paid calls, including those of sub-tasks;
    ``spent`` is what the iteration alone used and ``total`` what the run had used at its decision. ``at`` is when
    something happened in it last (ISO 8601). ``advice`` is what the user wanted after it, ``reported`` the score that
    its end was recorded with. ``ended``: it is complete; a killed run leaves one that is not.
    """

    number: int = 0
    phase: IterationPhase = IterationPhase.PLAN
    at: str = ""
    plan: Plan = field(default_factory=Plan)
    work: ExecutionResult | None = None
    classified: events.RequestClassified | None = None
    evaluation: Evaluation | None = None
    decision: Decision | None = None
    facts: Facts = Facts()
    usage: Usage = Usage()
    usd: float = 0.0
    cost: Cost = Cost()
    total: Cost = Cost()
    mode: EvaluationMode = EvaluationMode.SKIPPED
    terminated_by: str = ""
    advice: str = ""
    reported: float | None = None
    ended: bool = False

    @property
    def score(self) -> float | None:
        """The judges' score; logs of earlier versions have that of a reused evaluation in the facts alone."""
        known = (self.evaluation.score if self.evaluation else None, self.reported, self.facts.judged)
        return next((score for score in known if score is not None), None)

    @property
    def has_started(self) -> bool:
        """Whether anything happened in it."""
        return bool(self.at)

    @property
    def needs_user(self) -> bool:
        """Whether the user was needed after it."""
        return self.decision is not None and self.decision.action is NextAction.ESCALATE

    @property
    def is_continued(self) -> bool:
        """Whether a resumed run continues in it: it waited for an approval, or was not judged."""
        waited = self.work is not None and self.work.ended is StopReason.PERSON
        return waited or (self.decision is not None and self.decision.unjudged)

    @property
    def iteration(self) -> Iteration | None:
        """The iteration as the kernel describes it; None if it has no work."""
        if self.work is None:
            return None
        total = self.total if self.decision else self.cost
        return Iteration(plan=self.plan, work=self.work, evaluation=self.evaluation, cost=total, facts=self.facts)

    def add_cost(self, paid: events.Paid) -> "IterationView":
        """Return the iteration with the cost of one more call."""
        return replace(self, usage=self.usage + paid.usage, usd=self.usd + paid.usd)

    def merge_resumed(self, later: "IterationView") -> "IterationView":
        """Return the iteration after it was resumed, because it had waited for the user or could not be judged."""
        return replace(
            later,
            plan=later.plan if later.work else self.plan,
            work=later.work or self.work,
            terminated_by=later.terminated_by or self.terminated_by,
            usage=self.usage + later.usage,
            usd=self.usd + later.usd,
            cost=later.cost if later.cost != Cost() else self.cost,
        )


def phase_after(decision: NextAction) -> IterationPhase:
    """Return the phase of an iteration with a decision: complete, unless the task was stopped there."""
    return IterationPhase.ABORT if decision.value.startswith("abort") else IterationPhase.COMPLETE


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding from the iteration that found it to the one that no longer has it.

    ``number`` counts findings through the run: F1, F2 and so on. One that comes back after it was resolved is a new
    one.
    """

    number: int
    finding: Finding
    found: int
    resolved: int | None = None


def list_findings(iterations: Iterable[IterationView]) -> list[FindingView]:
    """Return each finding once, in the order in which they were found."""
    open_ones: dict[tuple[str, str, str], FindingView] = {}
    closed: list[FindingView] = []
    for one in iterations:
        if one.evaluation is None:
            continue
        present = {finding.key for finding in one.evaluation.findings}
        gone = [key for key in open_ones if key not in present] if shows_absence(one.evaluation) else []
        closed += [replace(open_ones.pop(key), resolved=one.number) for key in gone]
        for finding in one.evaluation.findings:
            number = len(open_ones) + len(closed) + 1
            open_ones.setdefault(finding.key, FindingView(number, finding, one.number))
    return sorted([*closed, *open_ones.values()], key=lambda view: view.number)


def shows_absence(evaluation: Evaluation) -> bool:
    """Whether a missing finding counts as resolved: only if the evaluation took place."""
    return not evaluation.unavailable_reason and evaluation.mode is not EvaluationMode.SKIPPED
