"""Build a run's result from its records, with its exit status (accepted, over budget, out of time and others)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from openkoi_hookspecs import Deny, Evaluation, Event, Finding, NextAction, Policy, Record, Task, Usage, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import IterationView, RunView

from .charges import RunCharges
from .commands import CommandLog, CommandRun
from .costs import Costs, ModelCost, sum_charges
from .finding_ids import FindingKey, number_findings
from .result_json import format_iteration, format_usage, round_score
from .savings import Saving, SavingsReplay, sum_savings

SCHEMA = "openkoi.result/1"
Json = dict[str, Any]
EXIT_STATUSES = {
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
    """The state of a run, built from its records; ``deterministic`` if its plan was a skill without evaluation.

    ``judgings`` are the judges' votes by iteration number, ``pending_votes`` those of the current iteration, and
    ``denials`` with ``pending_denials`` the answers of hooks that denied a call.
    ``failed`` is the error of a run without a result.
    """

    run: str = ""
    view: RunView = field(default_factory=RunView)
    pending_votes: list[events.JudgeVoted] = field(default_factory=list)
    judgings: dict[int, Sequence[events.JudgeVoted]] = field(default_factory=dict)
    pending_denials: list[events.HookReturned] = field(default_factory=list)
    denials: dict[int, Sequence[events.HookReturned]] = field(default_factory=dict)
    charges: RunCharges = field(default_factory=RunCharges)
    replays: dict[str, SavingsReplay] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    evaluators: list[str] = field(default_factory=list)
    learnings: list[str] = field(default_factory=list)
    held_out: Sequence[str] = ()
    warnings: list[str] = field(default_factory=list)
    deterministic: bool = False
    failed: str = ""
    calls: CommandLog = field(default_factory=CommandLog)
    subtasks: set[str] = field(default_factory=set)

    def add_record(self, record: Record) -> None:
        """Add one record; of sub-tasks, only the costs count."""
        event = record.event
        if isinstance(event, events.TaskStarted):
            self.start_run(record, event)
        own = record.run == self.run
        if isinstance(event, events.Paid) and (own or record.run in self.subtasks):
            self.charges.add_charge(record.at, event, own=own)
            if not own:
                self.view.add_payment(record.at, event)
        if own or record.run in self.subtasks:
            self.replays.setdefault(record.run, SavingsReplay()).add_record(record)
        if own:
            self.view.take(record)
            self.charges.observe(event)
            self.add_event(event)

    def start_run(self, record: Record, started: events.TaskStarted) -> None:
        if self.run in ("", record.run):
            self.run = record.run
            self.models["executor"] = started.model
        elif started.task.parent in (self.run, *self.subtasks):
            self.subtasks.add(record.run)

    def add_event(self, event: Event) -> None:
        match event:
            case events.RecallFinished(recall=recall):
                self.held_out = recall.held_out
            case events.PlanReady(plan=plan):
                self.deterministic = not plan.evaluate and (
                    self.task is None or self.task.effective_limits.iterations > 0
                )
            case events.ToolCallStarted(call=call):
                self.calls.start(call)
            case events.ToolCallFinished(result=result):
                self.calls.finish(result)
            case events.ModelResponse(model=model, role=role):
                self.models.setdefault(role, model)
            case events.ModelFallback(role=role, to=model):
                self.models[role] = model
            case events.EvaluationFinished(evaluators=names):
                self.evaluators += [name for name in names if name not in self.evaluators]
            case events.DecisionMade(iteration=number):
                self.judgings[number], self.pending_votes = tuple(self.pending_votes), []
                self.denials[number], self.pending_denials = tuple(self.pending_denials), []
            case events.LearningSaved(learning=learning):
                self.learnings.append(learning.text)
            case events.WarningIssued(text=text):
                self.warnings += [text] if text not in self.warnings else []
            case events.RunFailed(reason=reason):
                self.failed = reason
            case events.JudgeVoted():
                self.pending_votes.append(event)
            case events.HookReturned(kind=Deny.__name__):
                self.pending_denials.append(event)

    def resume(self) -> None:
        """Clear how the run ended, because it is about to continue."""
        self.failed = ""
        self.view.resume()

    @property
    def task(self) -> Task | None:
        """The task; None if its start is missing from the log."""
        return self.view.started.task if self.view.started else None

    @property
    def completion(self) -> events.RunCompleted | None:
        """The result; None until the run ends."""
        return self.view.completed

    @property
    def segment(self) -> str:
        """The log file that the run starts in."""
        return self.view.segment

    @property
    def after_result(self) -> IterationView:
        """The costs of learning after the result."""
        return self.view.afterwards

    @property
    def iterations(self) -> Sequence[IterationView]:
        """The iterations that have a decision."""
        return [one for one in self.view.ended_iterations if one.decision]

    def find_iteration(self, number: int) -> IterationView:
        """Return an iteration by number, or the last one."""
        there = self.iterations
        if not there:
            return next(iter(self.view.iterations), IterationView())
        return there[number] if 0 <= number < len(there) else there[-1]

    @property
    def best(self) -> IterationView:
        """The iteration whose files are in the workspace."""
        return self.find_iteration(self.completion.best if self.completion else -1)

    @property
    def text(self) -> str:
        """The final answer of the best iteration."""
        return self.best.work.text if self.best.work else ""

    @property
    def changed_files(self) -> Sequence[str]:
        """The files that the best iteration changed, or that a failed run left changed."""
        left = self.view.failed.files if self.view.failed else ()
        return left or (self.best.work.files if self.best.work else ())

    @property
    def commands(self) -> Sequence[CommandRun]:
        """The commands that its tools ran, in order."""
        return self.calls.commands

    @property
    def score(self) -> float | None:
        return self.best.score

    @property
    def is_accepted(self) -> bool | None:
        """Whether the work was accepted; None if no evaluation was requested."""
        done = self.completion is not None and self.completion.decision.action is NextAction.ACCEPT
        return None if done and self.find_iteration(-1).facts.policy is Policy.NONE else done

    @property
    def status(self) -> int:
        """The exit status."""
        return EXIT_STATUSES[self.completion.decision.action] if self.completion else 1

    @property
    def usage(self) -> Usage:
        return sum((one.usage for one in self.view.iterations), Usage())

    @property
    def costs(self) -> Costs:
        """The costs so far, by phase and by model, including learning after the result."""
        return sum_charges(self.charges.charges)

    @property
    def finding_numbers(self) -> Mapping[FindingKey, int]:
        """The numbers of the best iteration's findings, by finding key."""
        there, best = self.iterations, self.best
        several = number_findings(one.evaluation for one in there)
        found = (named for one, named in zip(there, several, strict=True) if one.number == best.number)
        return next(found, number_findings([best.evaluation])[0])

    @property
    def saved_tokens(self) -> Mapping[Saving, int]:
        """Tokens saved, by the way they were saved."""
        return sum_savings(saved for replay in self.replays.values() for saved in replay.saved)

    def build_result(self, transcript: str = "") -> Json:
        """Return the result as one JSON object (``openkoi.result/1``)."""
        decision = self.completion.decision if self.completion else None
        return {
            "schema": SCHEMA,
            "ok": self.completion is not None,
            "accepted": self.is_accepted,
            "decision": decision.action if decision else None,
            "stop_reason": decision.reason if decision else self.failed or "the run has not ended",
            "task_id": self.run,
            "session_id": self.task.session if self.task else "",
            "output": self.text,
            "score": round_score(self.score),
            "iterations": [format_iteration(number, one) for number, one in enumerate(self.iterations, 1)],
            "findings": format_findings(self.best.evaluation, self.finding_numbers),
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
            **self.agent_fields,
        }

    @property
    def agent_fields(self) -> Json:
        """The agent's name and version, and what ended its work; empty if there was no agent."""
        agent = self.task.agent if self.task else None
        if agent is None:
            return {}
        named = {"name": agent.name, "version": agent.version}
        return {"agent": named, "terminated_by": self.best.terminated_by or None}


def build_report(records: Iterable[Record], run: str = "") -> RunReport:
    """Build the report of the given run, or of the first one in the records."""
    report = RunReport(run)
    for record in records:
        report.add_record(record)
    return report


def format_costs(costs: Costs) -> Mapping[str, Mapping[str, object]]:
    return {
        "by_phase": {str(phase): format_cost(cost) for phase, cost in costs.by_phase.items()},
        "by_model": {model: format_cost(cost) for model, cost in costs.by_model.items()},
    }


def format_cost(cost: ModelCost) -> Mapping[str, object]:
    return {"cost_usd": round(cost.usd, 6), "tokens": cost.usage.total, "calls": cost.calls}


def format_findings(evaluation: Evaluation | None, numbers: Mapping[FindingKey, int]) -> list[Json]:
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
