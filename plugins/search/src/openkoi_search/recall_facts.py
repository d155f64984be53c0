"""Store as JSON lines the facts of each record from which the index can recompute its documents."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

from openkoi_hookspecs import Event, ExecutionResult, Learning, Plan, Record, Response, StreamEnd, Text, Usage
from openkoi_hookspecs.events import (
    EvaluationFinished,
    ExecutionFinished,
    LearningSaved,
    ModelResponse,
    PlanReady,
    QuestionAsked,
    TaskStarted,
    UsageRecorded,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import COURSE_EVENTS, decode, encode

from .chunking import searchable_text, split_chunks

NEEDED_EVENTS: tuple[type[Event], ...] = (*COURSE_EVENTS, ModelResponse, LearningSaved)
KINDS: Mapping[str, type[Event]] = {kind.name: kind for kind in NEEDED_EVENTS}
DATA_ERRORS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
Json = dict[str, object]


class Fact(NamedTuple):
    """The stored part of a run's record: a reduced event, or only the id of a saved learning."""

    id: str
    at: str
    name: str
    payload: Json

    def record(self, run: str) -> Record:
        """Return the record, reduced to what documents depend on."""
        return Record(self.id, self.at, run, decode(KINDS[self.name], self.payload))


class Save(NamedTuple):
    """One save of a learning; ``learning`` is None for all but the last."""

    at: str
    id: str
    run: str
    learning: Json | None


class Latest(NamedTuple):
    """A run's index position: the time of its latest fact, and the number of its last piece, if any.

    Later facts change none of its pieces.
    """

    at: str
    piece: int | None


@dataclass(slots=True)
class Batch:
    """The facts of runs and the saves of learnings in some records, how far each log file was read, and the skipped
    records, with the reason.
    """

    facts: dict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))
    saves: dict[str, list[Save]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[str, int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Add the needed facts of a record; raise one of the DATA_ERRORS for one that could not be read again."""
        event = reduce_event(record.event)
        if isinstance(event, LearningSaved):
            learning = encode(event.learning)
            decode(Learning, learning)
            self.saves[event.learning.id].append(Save(record.at, record.id, record.run, learning))
            self.facts[record.run].append(Fact(record.id, record.at, event.name, {"id": event.learning.id}))
        elif event:
            fact = Fact(record.id, record.at, event.name, encode(event))
            fact.record(record.run)
            self.facts[record.run].append(fact)


def make_batch(records: Iterable[Record]) -> Batch:
    """Return the needed facts of some records."""
    batch = Batch()
    for record in records:
        if record.segment:
            batch.ends[record.segment] = max(record.end, batch.ends.get(record.segment, 0))
        try:
            batch.add(record)
        except DATA_ERRORS as error:
            batch.skipped.append(f"{record.id!r} ({error})")
    return batch


def reduce_event(event: Event) -> Event | None:
    """Return the parts of an event that documents depend on; None if there are none."""
    match event:
        case TaskStarted(task=task):
            return TaskStarted(replace(task, context="", agent=None))
        case ExecutionFinished(work=work):
            return ExecutionFinished(ExecutionResult("", files=work.files, ended=work.ended))
        case PlanReady():
            return PlanReady(Plan())
        case QuestionAsked(id=id):
            return QuestionAsked(id, "")
        case EvaluationFinished(evaluation=evaluation):
            return EvaluationFinished(replace(evaluation, log="", checks=(), scores=()))
        case UsageRecorded(kind=kind, skills=skills):
            return UsageRecorded(kind, "", skills=skills) if skills else None
        case ModelResponse():
            text = searchable_text(event)
            return ModelResponse("", Response((Text(text),), StreamEnd(Usage())), 0.0) if split_chunks(text) else None
    return event if type(event) in KINDS.values() else None


def encode_lines(rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows as JSON lines."""
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


def decode_facts(data: bytes) -> list[Fact]:
    """Return the facts in JSON lines."""
    return [Fact(*json.loads(line)) for line in data.splitlines()]


def decode_saves(data: bytes) -> list[Save]:
    """Return the saves in JSON lines."""
    return [Save(*json.loads(line)) for line in data.splitlines()]


def encode_latest(latest: Latest | None) -> bytes:
    """Encode a run's index position as JSON; return None if later facts may change its pieces."""
    return json.dumps(latest).encode()


def decode_latest(data: bytes) -> Latest | None:
    """Parse a run's index position; return None if it is unknown."""
    found = json.loads(data or b"null")
    return Latest(*found) if found else None


def project_of(facts: Sequence[Fact]) -> str | None:
    """Return the project of a run; None before its start is known."""
    for fact in sorted(facts, key=lambda fact: (fact.at, fact.id)):
        if fact.name == TaskStarted.name:
            task: Any = fact.payload["task"]
            return str(task.get("project", ""))
    return None


def learnings_of(facts: Sequence[Fact]) -> list[str]:
    """Return the learnings that a run saved."""
    return [str(fact.payload["id"]) for fact in facts if fact.name == LearningSaved.name]
