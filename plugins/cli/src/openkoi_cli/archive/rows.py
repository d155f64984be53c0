"""What an export tells, one class a table, as people and programs read it. Times are UTC; iterations count from 0."""

from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A line of a table."""

    table: ClassVar[str]


@dataclass(frozen=True, slots=True)
class TaskRow(ExportRow):
    """A task, or a part of one. ``decision`` is empty while it has not ended."""

    table = "tasks"
    id: str
    parent: str
    session: str
    project: str
    category: str
    channel: str
    model: str
    text: str
    started: str
    ended: str
    decision: str
    reason: str
    score: float | None
    iterations: int
    tokens: int
    usd: float


@dataclass(frozen=True, slots=True)
class IterationRow(ExportRow):
    """One turn of the outer loop, and what it alone cost."""

    table = "iterations"
    task: str
    iteration: int
    score: float | None
    decision: str
    reason: str
    evaluation: str
    tokens: int
    usd: float
    seconds: float
    ended: str


@dataclass(frozen=True, slots=True)
class FindingRow(ExportRow):
    """A finding: in the iteration that found it, and the one that did not find it again."""

    table = "findings"
    task: str
    iteration: int
    severity: str
    rule: str
    title: str
    location: str
    detail: str
    fix: str
    resolved_in: int | None


@dataclass(frozen=True, slots=True)
class LearningRow(ExportRow):
    """A learning as it now stands, and the run that said so."""

    table = "learnings"
    id: str
    kind: str
    text: str
    keys: tuple[str, ...]
    scope: str
    origin: str
    standing: str
    shown: int
    helpful: int
    harmful: int
    confidence: float
    last_used: str
    expires_at: str
    quoted: bool
    superseded_by: str
    evidence: tuple[str, ...]
    task: str
    saved: str


@dataclass(frozen=True, slots=True)
class CostRow(ExportRow):
    """One paid call of a model, charged to the whole task."""

    table = "costs"
    task: str
    at: str
    model: str
    phase: str
    input: int
    output: int
    cache_read: int
    cache_write: int
    usd: float


KINDS: tuple[type[ExportRow], ...] = (TaskRow, IterationRow, FindingRow, LearningRow, CostRow)


@dataclass(frozen=True, slots=True)
class ExportTables:
    """All rows of an export."""

    tasks: list[TaskRow] = field(default_factory=list)
    iterations: list[IterationRow] = field(default_factory=list)
    findings: list[FindingRow] = field(default_factory=list)
    learnings: list[LearningRow] = field(default_factory=list)
    costs: list[CostRow] = field(default_factory=list)

    def rows_by_type(self) -> dict[type[ExportRow], list[ExportRow]]:
        """The rows of each kind."""
        return {kind: list(getattr(self, kind.table)) for kind in KINDS}
