"""Where a run stands: on its own, within another one, or as a continuation of what the log holds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Record
from openkoi_models import TaskBudget


@dataclass(frozen=True, slots=True)
class ParentRun:
    """The run that pays, if any, and how deep this one is nested. ``records`` hold what it did before, by its id."""

    budget: TaskBudget | None = None
    depth: int = 0
    id: str = ""
    records: Sequence[Record] = ()
    outermost: str = ""
    inbox: list[str] = field(default_factory=list)


ALONE = ParentRun()
