"""Define the tables of an export, one class each. Times are UTC; iterations count from 0."""

from dataclasses import field
from typing import ClassVar

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A row of a table."""

    table: ClassVar[str]


@dataclass(frozen=True, slots=True)
class TaskRow(ExportRow):
    """A task or sub-task; ``decision`` is empty until it ends."""

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
    """An iteration and its own cost."""

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
    """A finding, with the iterations that found and resolved it."""

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
    """The current state of a learning, and the run that saved it."""

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
    """A paid call, charged to the top-level task."""

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
        """Return the rows of each table."""
        return {kind: list(getattr(self, kind.table)) for kind in KINDS}
