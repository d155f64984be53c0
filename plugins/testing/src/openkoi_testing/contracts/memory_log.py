"""Build logs for memories: runs that finished, failed or are running, and what they taught."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from openkoi_hookspecs import (
    Cost,
    Decision,
    Evaluation,
    Event,
    ExecutionResult,
    Finding,
    Learning,
    NextAction,
    Record,
    Response,
    Score,
    Severity,
    StreamEnd,
    Task,
    Text,
    Usage,
)
from openkoi_hookspecs.events import (
    DecisionMade,
    EvaluationFinished,
    ExecutionFinished,
    IterationFinished,
    LearningSaved,
    ModelDelta,
    ModelResponse,
    RunCompleted,
    RunFailed,
    TaskStarted,
    UnknownEvent,
    UsageRecorded,
)

FIRST_DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
LINE_BYTES = 100


def records_of(run: str, events: Sequence[Event], *, start: float = 0.0) -> list[Record]:
    """Return events of a run as records, a second apart, ``start`` seconds after the first day."""
    return [
        Record(f"{run}-{n:03}", timestamp(start + n), run, event, segment=f"{run}.jsonl", end=(n + 1) * LINE_BYTES)
        for n, event in enumerate(events)
    ]


def timestamp(seconds: float) -> str:
    """Return a time in the format of records."""
    return (FIRST_DAY + timedelta(seconds=seconds)).isoformat(timespec="microseconds").replace("+00:00", "Z")


def run_records(run: str, text: str, *, project: str = "koi", session: str = "s1", start: float = 0.0) -> list[Record]:
    """Return the records of a run that fixed one of two findings and was then accepted."""
    late = Finding("No test for the empty list", Severity.SUGGESTION, rule="tests", where="tests/test_it.py:3")
    early = Finding(
        "Division by zero", Severity.BLOCKER, rule="correctness", where="mean.py:4", fix="Guard the divisor"
    )
    spent, more = Cost(tokens=150, usd=0.01, seconds=2.0, calls=1), Cost(tokens=330, usd=0.02, seconds=5.0, calls=2)
    events: list[Event] = [
        TaskStarted(Task(text, category="code", session=session, project=project), model="acme/large"),
        paid_response(100, 50),
        ModelDelta("not for the tables"),
        ExecutionFinished(ExecutionResult("a draft", files=("mean.py",))),
        EvaluationFinished(Evaluation(scores=(Score("correctness", 0.4),), findings=(early, late)), ("judge",)),
        IterationFinished(0, 0.4, spent),
        DecisionMade(0, Decision(NextAction.CONTINUE, "a blocker is open"), spent),
        paid_response(120, 60),
        ExecutionFinished(ExecutionResult("done", files=("mean.py",))),
        EvaluationFinished(Evaluation(scores=(Score("correctness", 0.9),), findings=(late,)), ("judge",)),
        IterationFinished(1, 0.9, Cost(tokens=180, usd=0.01, seconds=3.0, calls=1)),
        DecisionMade(1, Decision(NextAction.ACCEPT, "good enough"), more),
        RunCompleted(Decision(NextAction.ACCEPT, "good enough"), more, best=1, iterations=2),
        UsageRecorded("Task", text, category="code", skills=("python",), score=0.9),
    ]
    return records_of(run, events, start=start)


def paid_response(read: int, wrote: int) -> ModelResponse:
    """Return a paid call of a model."""
    return ModelResponse("acme/large", Response((Text("words"),), StreamEnd(Usage(input=read, output=wrote))), 0.01)


def talk_records(run: str, *texts: str, start: float = 0.0) -> list[Record]:
    """Return the records of a model's messages in a run, one answer after the other."""
    answers = [ModelResponse("acme/large", Response((Text(text),), StreamEnd(Usage())), 0.0) for text in texts]
    messages = records_of(f"{run}-turn", answers, start=start)
    return [replace(record, run=run) for record in messages]


def saving_record(learning: Learning, run: str, *, start: float, part: str = "") -> Record:
    """Return the record that saves a learning."""
    return Record(f"{run}-{learning.id}-{start:06.0f}{part}", timestamp(start), run, LearningSaved(learning))


def many_runs(size: int, seed: int = 7) -> list[Record]:
    """Return a log of many runs, of which some failed or are running, with what they taught."""
    choice = random.Random(seed)
    log: list[Record] = []
    for n in range(size):
        words = " ".join(choice.sample(SUBJECTS, 4))
        run = run_records(
            f"run{n}", f"Fix the {words}", project=choice.choice("ab"), session=f"s{n % 4}", start=n * 60.0
        )
        log += run[: choice.choice((len(run), len(run), 7))]
        learning = Learning(f"L{n % 5}", "heuristic", f"Mind the {words}", keys=(words.split()[0],), helpful=n)
        log.append(saving_record(learning, f"run{n}", start=n * 60.0 + 50))
    log += records_of("broken", [TaskStarted(Task("Fix nothing", project="a")), RunFailed("interrupted")], start=1e6)
    log += records_of("foreign", [UnknownEvent({"any": "thing"})], start=2e6)
    return log


SUBJECTS = (
    "parser", "cache", "invoice", "scheduler", "login", "calendar", "compiler", "gateway", "ledger", "thumbnail",
    "migration", "webhook", "dashboard", "tokenizer", "sandbox", "exporter",
)  # fmt: skip


def build_learning(id: str, **facts: object) -> Learning:
    """Return a learning about parsers."""
    return Learning(id, "heuristic", "Parsers need a fixture for each grammar.", **facts)  # type: ignore[arg-type]  # any of its fields
