"""What a run came to, computed from its records alone: the same live and at every replay.

Knows events; knows no run, file or face.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openkoi_hookspecs import Decision, Evaluation, Finding, Mode, Record, Ruling, Spend, Task, Usage, Work, events

SCHEMA = "openkoi.result/1"
Json = dict[str, Any]
SAVINGS = ("delta", "compression", "eval_skip", "incremental", "prompt_cache")
EXITS = {
    Decision.ACCEPT: 0,
    Decision.CONTINUE: 1,
    Decision.ACCEPT_BEST: 3,
    Decision.ABORT_BUDGET: 4,
    Decision.ABORT_TIMEOUT: 5,
    Decision.ABORT_REGRESSION: 6,
    Decision.ABORT_LOOP: 7,
    Decision.ESCALATE: 8,
}


@dataclass(slots=True)
class Lap:
    """One iteration as its records tell it."""

    usage: Usage = Usage()
    usd: float = 0.0
    work: Work | None = None
    evaluation: Evaluation | None = None
    ruling: Ruling | None = None
    spent: Spend = Spend()
    mode: Mode = Mode.SKIPPED
    terminated_by: str = ""

    def pay(self, answered: events.Answered) -> None:
        """Count one call."""
        self.usage = added(self.usage, answered.reply.done.usage)
        self.usd += answered.usd


@dataclass(slots=True)
class Report:
    """A run's records, taken in one by one."""

    run: str = ""
    task: Task | None = None
    laps: list[Lap] = field(default_factory=lambda: [Lap()])
    models: dict[str, str] = field(default_factory=dict)
    evaluators: list[str] = field(default_factory=list)
    learnings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    judged: bool = True
    asks: bool = False
    completed: events.RunCompleted | None = None
    failed: str = ""
    segment: str = ""
    parts: set[str] = field(default_factory=set)

    def take(self, record: Record) -> None:
        """Take one record into account; of sub-tasks only what they cost."""
        event = record.event
        if isinstance(event, events.TaskStarted):
            self.begin(record, event)
        if record.run == self.run:
            self.note(event)
        elif record.run in self.parts and isinstance(event, events.Answered):
            self.laps[-1].pay(event)

    def begin(self, record: Record, started: events.TaskStarted) -> None:
        if self.run in ("", record.run):
            self.run, self.task, self.segment = record.run, started.task, record.segment
            self.models["executor"] = started.model
        elif started.task.parent in (self.run, *self.parts):
            self.parts.add(record.run)

    def note(self, event: object) -> None:
        lap = self.laps[-1]
        match event:
            case events.Planned(plan=plan, asks=asks):
                self.judged, self.asks = plan.judged, asks
            case events.Answered(model=model, role=role):
                lap.pay(event)
                self.models.setdefault(role, model)
            case events.Switched(role=role, to=model):
                self.models[role] = model
            case events.Terminated(reason=reason):
                lap.terminated_by = reason
            case events.Worked(work=work):
                lap.work = work
            case events.Evaluated(evaluation=evaluation, evaluators=names):
                lap.evaluation = evaluation
                self.evaluators += [name for name in names if name not in self.evaluators]
            case events.Iterated(spent=spent, mode=mode):
                lap.spent, lap.mode = spent, mode
            case events.Decided(ruling=ruling):
                lap.ruling = ruling
                self.laps.append(Lap())
            case events.LearningSaved(learning=learning):
                self.learnings.append(learning.text)
            case events.Warned(text=text):
                self.warnings.append(text)
            case events.RunCompleted():
                self.completed = event
            case events.RunFailed(reason=reason):
                self.failed = reason

    @property
    def iterations(self) -> Sequence[Lap]:
        """The iterations that were decided about."""
        return [lap for lap in self.laps if lap.ruling]

    @property
    def best(self) -> Lap:
        """The iteration whose files are in the workspace."""
        index = self.completed.best if self.completed else -1
        return self.iterations[index] if self.iterations else self.laps[0]

    @property
    def deterministic(self) -> bool:
        """Whether the plan was a skill that needs no judging, and not a question or a single execution."""
        once = self.task is not None and self.task.limits.iterations == 0
        return not (self.judged or self.asks or once)

    @property
    def text(self) -> str:
        """The best iteration's last words."""
        return self.best.work.text if self.best.work else ""

    @property
    def score(self) -> float | None:
        return self.best.evaluation.score if self.best.evaluation else None

    @property
    def status(self) -> int:
        """The exit status that says how it went."""
        return EXITS[self.completed.ruling.decision] if self.completed else 1

    @property
    def usage(self) -> Usage:
        total = Usage()
        for lap in self.laps:
            total = added(total, lap.usage)
        return total

    def result(self, transcript: str = "") -> Json:
        """The whole as one JSON object."""
        ruling = self.completed.ruling if self.completed else None
        return {
            "schema": SCHEMA,
            "ok": self.completed is not None,
            "accepted": ruling is not None and ruling.decision is Decision.ACCEPT,
            "decision": ruling.decision if ruling else None,
            "stop_reason": ruling.reason if ruling else self.failed or "it did not end",
            "task_id": self.run,
            "session_id": self.task.session if self.task else "",
            "output": self.text,
            "score": rounded(self.score),
            "iterations": [iteration(number, lap) for number, lap in enumerate(self.iterations, 1)],
            "findings": findings(self.best.evaluation),
            "usage": counted(self.usage),
            "cost_usd": round(sum(lap.usd for lap in self.laps), 6),
            "saved_tokens": {**dict.fromkeys(SAVINGS, 0), "prompt_cache": self.usage.cache_read},
            "learnings": self.learnings,
            "changed_files": list(self.best.work.files) if self.best.work else [],
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


def report_of(records: Iterable[Record], run: str = "") -> Report:
    """The report of one run: the one named, else the first that began."""
    report = Report(run)
    for record in records:
        report.take(record)
    return report


def added(one: Usage, other: Usage) -> Usage:
    return Usage(
        input=one.input + other.input,
        output=one.output + other.output,
        cache_read=one.cache_read + other.cache_read,
        cache_write=one.cache_write + other.cache_write,
    )


def counted(usage: Usage) -> Json:
    return {
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "total": usage.total,
    }


def rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def iteration(number: int, lap: Lap) -> Mapping[str, object]:
    return {
        "n": number,
        "score": rounded(lap.evaluation.score) if lap.evaluation else None,
        "decision": lap.ruling.decision if lap.ruling else None,
        "eval_mode": lap.mode,
        "usage": counted(lap.usage),
        "cost_usd": round(lap.usd, 6),
        "duration_ms": round(lap.spent.seconds * 1000),
    }


def findings(evaluation: Evaluation | None) -> list[Json]:
    found: Sequence[Finding] = evaluation.findings if evaluation else ()
    return [
        {
            "id": f"F{number}",
            "severity": finding.severity,
            "title": finding.title,
            "rule": finding.rule,
            "location": finding.where or None,
            "description": finding.detail,
            "fix": finding.fix or None,
        }
        for number, finding in enumerate(found, 1)
    ]
