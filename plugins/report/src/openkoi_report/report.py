"""What a run came to, computed from its records alone: the same live and at every replay.

Knows events; knows no run, file or frontend.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openkoi_hookspecs import Evaluation, Event, Finding, NextAction, Policy, Record, Task, Usage, events
from openkoi_runlog import IterationView, RunView

from .costs import Costs, ModelCost, costs_of
from .iterations import format_usage, iteration, round_score
from .ledger import RunCharges
from .numbering import Key, numbers
from .savings import Replay, Saving, totals

SCHEMA = "openkoi.result/1"
Json = dict[str, Any]
EXITS = {
    NextAction.ACCEPT: 0,
    NextAction.CONTINUE: 1,
    NextAction.ACCEPT_BEST: 3,
    NextAction.ABORT_BUDGET: 4,
    NextAction.ABORT_TIMEOUT: 5,
    NextAction.ABORT_REGRESSION: 6,
    NextAction.ABORT_LOOP: 7,
    NextAction.ESCALATE: 8,
}


@dataclass(slots=True)
class RunReport:
    """A run's records, taken in one by one. ``deterministic``: the plan was a skill that needs no evaluation.

    ``judgings`` are what the judges wrote down of an iteration, by its number; ``heard`` those of the one that is under
    way. ``failed`` says why there is no result, as the log or the frontend tells it.
    """

    run: str = ""
    view: RunView = field(default_factory=RunView)
    heard: list[events.JudgeVoted] = field(default_factory=list)
    judgings: dict[int, Sequence[events.JudgeVoted]] = field(default_factory=dict)
    ledger: RunCharges = field(default_factory=RunCharges)
    replays: dict[str, Replay] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    evaluators: list[str] = field(default_factory=list)
    learnings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    deterministic: bool = False
    failed: str = ""
    parts: set[str] = field(default_factory=set)

    def take(self, record: Record) -> None:
        """Take one record into account; of sub-tasks only what they cost."""
        event = record.event
        if isinstance(event, events.TaskStarted):
            self.begin(record, event)
        own = record.run == self.run
        if isinstance(event, events.Paid) and (own or record.run in self.parts):
            self.ledger.pay(record.at, event, own=own)
            if not own:
                self.view.pay(record.at, event)
        if own or record.run in self.parts:
            self.replays.setdefault(record.run, Replay()).take(record)
        if own:
            self.view.take(record)
            self.ledger.note(event)
            self.note(event)

    def begin(self, record: Record, started: events.TaskStarted) -> None:
        if self.run in ("", record.run):
            self.run = record.run
            self.models["executor"] = started.model
        elif started.task.parent in (self.run, *self.parts):
            self.parts.add(record.run)

    def note(self, event: Event) -> None:
        match event:
            case events.PlanReady(plan=plan):
                self.deterministic = not plan.evaluate and (
                    self.task is None or self.task.effective_limits.iterations > 0
                )
            case events.ModelResponse(model=model, role=role):
                self.models.setdefault(role, model)
            case events.ModelFallback(role=role, to=model):
                self.models[role] = model
            case events.EvaluationFinished(evaluators=names):
                self.evaluators += [name for name in names if name not in self.evaluators]
            case events.DecisionMade(iteration=number):
                self.judgings[number], self.heard = tuple(self.heard), []
            case events.LearningSaved(learning=learning):
                self.learnings.append(learning.text)
            case events.WarningIssued(text=text):
                self.warnings += [text] if text not in self.warnings else []
            case events.RunFailed(reason=reason):
                self.failed = reason
            case events.JudgeVoted():
                self.heard.append(event)

    def resume(self) -> None:
        """The run is about to go on: how it ended until now no longer counts."""
        self.failed = ""
        self.view.resume()

    @property
    def task(self) -> Task | None:
        """The task; None where its start is missing."""
        return self.view.started.task if self.view.started else None

    @property
    def completion(self) -> events.RunCompleted | None:
        """The result; None as long as there is none."""
        return self.view.completed

    @property
    def segment(self) -> str:
        """The file of the log that it begins in."""
        return self.view.segment

    @property
    def afterwards(self) -> IterationView:
        """What was paid for learning after the result."""
        return self.view.afterwards

    @property
    def iterations(self) -> Sequence[IterationView]:
        """The iterations that were decided about."""
        return [one for one in self.view.finished if one.decision]

    def decided(self, number: int) -> IterationView:
        """Return an iteration by number, or the last one."""
        there = self.iterations
        if not there:
            return next(iter(self.view.iterations), IterationView())
        return there[number] if 0 <= number < len(there) else there[-1]

    @property
    def best(self) -> IterationView:
        """The iteration whose files are in the workspace."""
        return self.decided(self.completion.best if self.completion else -1)

    @property
    def text(self) -> str:
        """The best iteration's last words."""
        return self.best.work.text if self.best.work else ""

    @property
    def changed_files(self) -> Sequence[str]:
        """The files that the best iteration changed, or that a failed run left changed."""
        left = self.view.failed.files if self.view.failed else ()
        return left or (self.best.work.files if self.best.work else ())

    @property
    def score(self) -> float | None:
        return self.best.score

    @property
    def is_accepted(self) -> bool | None:
        """Whether the work was accepted; None where it was done and no evaluation was asked for."""
        done = self.completion is not None and self.completion.decision.action is NextAction.ACCEPT
        return None if done and self.decided(-1).facts.policy is Policy.NONE else done

    @property
    def status(self) -> int:
        """The exit status that says how it went."""
        return EXITS[self.completion.decision.action] if self.completion else 1

    @property
    def usage(self) -> Usage:
        return sum((one.usage for one in self.view.iterations), Usage())

    @property
    def costs(self) -> Costs:
        """What it cost so far, by phase and by model, including learning after the result."""
        return costs_of(self.ledger.charges)

    @property
    def numbers(self) -> Mapping[Key, int]:
        """What the best iteration's findings are called, by what they are known by."""
        there, best = self.iterations, self.best
        several = numbers(one.evaluation for one in there)
        found = (named for one, named in zip(there, several, strict=True) if one.number == best.number)
        return next(found, numbers([best.evaluation])[0])

    @property
    def saved_tokens(self) -> Mapping[Saving, int]:
        """Tokens that were spared, by the way they were."""
        return totals(saved for replay in self.replays.values() for saved in replay.saved)

    def result(self, transcript: str = "") -> Json:
        """The whole as one JSON object."""
        ruling = self.completion.decision if self.completion else None
        return {
            "schema": SCHEMA,
            "ok": self.completion is not None,
            "accepted": self.is_accepted,
            "decision": ruling.action if ruling else None,
            "stop_reason": ruling.reason if ruling else self.failed or "it did not end",
            "task_id": self.run,
            "session_id": self.task.session if self.task else "",
            "output": self.text,
            "score": round_score(self.score),
            "iterations": [iteration(number, one) for number, one in enumerate(self.iterations, 1)],
            "findings": findings(self.best.evaluation, self.numbers),
            "usage": format_usage(self.usage),
            "cost_usd": round(sum(one.usd for one in self.view.iterations), 6),
            "costs": format_costs(self.costs),
            "saved_tokens": {str(by): tokens for by, tokens in self.saved_tokens.items()},
            "learnings": self.learnings,
            "changed_files": list(self.changed_files),
            "models": self.models,
            "evaluators": self.evaluators,
            "warnings": self.warnings,
            "transcript": transcript,
            **self.of_agent,
        }

    @property
    def of_agent(self) -> Json:
        """Which agent it was, and what ended its work; nothing where the task was given to none."""
        agent = self.task.agent if self.task else None
        if agent is None:
            return {}
        named = {"name": agent.name, "version": agent.version}
        return {"agent": named, "terminated_by": self.best.terminated_by or None}


def report_of(records: Iterable[Record], run: str = "") -> RunReport:
    """The report of one run: the one named, else the first that began."""
    report = RunReport(run)
    for record in records:
        report.take(record)
    return report


def format_costs(costs: Costs) -> Mapping[str, Mapping[str, object]]:
    return {
        "by_phase": {str(phase): item(cost) for phase, cost in costs.by_phase.items()},
        "by_model": {model: item(cost) for model, cost in costs.by_model.items()},
    }


def item(cost: ModelCost) -> Mapping[str, object]:
    return {"cost_usd": round(cost.usd, 6), "tokens": cost.usage.total, "calls": cost.calls}


def findings(evaluation: Evaluation | None, numbers: Mapping[Key, int]) -> list[Json]:
    found: Sequence[Finding] = evaluation.findings if evaluation else ()
    return [
        {
            "id": f"F{numbers[finding.key]}",
            "severity": finding.severity,
            "title": finding.title,
            "rule": finding.rule,
            "location": finding.where or None,
            "description": finding.detail,
            "fix": finding.fix or None,
        }
        for finding in found
        if finding.key in numbers
    ]
