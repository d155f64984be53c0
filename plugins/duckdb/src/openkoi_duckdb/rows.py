"""The rows that are derived from the log: one class per table, fields in the order of the columns."""

from typing import ClassVar

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    table: ClassVar[str]


@dataclass(frozen=True, slots=True)
class RecordRow(TableRow):
    """The stored part of a record. ``about`` is the id of the learning it refers to, if any."""

    table = "records"
    id: str
    moment: str
    run: str
    name: str
    about: str
    payload: str


@dataclass(frozen=True, slots=True)
class RunRow(TableRow):
    """The session and project of a run, and its usage."""

    table = "runs"
    id: str
    session: str
    project: str
    category: str
    parent: str
    channel: str
    model: str
    created_at: str
    updated_at: str
    tokens: int
    usd: float


@dataclass(frozen=True, slots=True)
class TaskRow(TableRow):
    """A task and how it ended. ``completed_at`` is None until the result is out."""

    table = "tasks"
    id: str
    description: str
    category: str
    session_id: str | None
    final_score: float | None
    iterations: int
    decision: str | None
    total_tokens: int
    total_cost_usd: float
    created_at: str
    completed_at: str | None


@dataclass(frozen=True, slots=True)
class CycleRow(TableRow):
    """One iteration; the number counts from zero. It has no duration if it did not finish."""

    table = "iteration_cycles"
    id: str
    task_id: str
    iteration: int
    score: float | None
    decision: str
    input_tokens: int
    output_tokens: int
    duration_ms: int | None
    created_at: str


@dataclass(frozen=True, slots=True)
class OutcomeRow(TableRow):
    """The phase that an iteration reached, its response, and its evaluation as JSON."""

    table = "cycle_outcomes"
    id: str
    phase: str
    output: str
    evaluation: str | None


@dataclass(frozen=True, slots=True)
class FindingRow(TableRow):
    """A finding, with the cycle that found it and the first one that no longer did."""

    table = "findings"
    id: str
    cycle_id: str
    severity: str
    dimension: str
    title: str
    description: str
    location: str
    fix: str
    resolved_in: str | None


@dataclass(frozen=True, slots=True)
class ChunkRow(TableRow):
    """A task's searchable summary, or a piece of its transcript."""

    table = "memory_chunks"
    id: str
    source: str
    text: str
    created_at: str


@dataclass(frozen=True, slots=True)
class PlaceRow(TableRow):
    """The position of a piece of a transcript: its run, and the piece before it."""

    table = "chunk_places"
    id: str
    doc: int
    run: str
    moment: str
    piece: int


@dataclass(frozen=True, slots=True)
class LearningRow(TableRow):
    """A learning as it now stands."""

    table = "learnings"
    id: str
    type: str
    content: str
    category: str | None
    confidence: float
    source_task: str | None
    reinforced: int
    created_at: str
    last_used: str | None
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class UsageRow(TableRow):
    """Something the user did, in UTC; ``day_of_week`` counts from Monday, 1, to Sunday, 7."""

    table = "usage_events"
    id: str
    event_type: str
    channel: str
    description: str
    category: str
    skills_used: str
    score: float | None
    timestamp: str
    day: str
    hour: int
    day_of_week: int


@dataclass(frozen=True, slots=True)
class DocumentRow(TableRow):
    """A searchable document: its scope, its keys, and its length in words."""

    table = "documents"
    doc: int
    id: str
    learned: bool
    kind: str
    scope: str
    moment: str
    keys: tuple[str, ...]
    dl: int
    memo: str
