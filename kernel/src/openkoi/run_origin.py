"""How a run begins: on its own, as part of another one, or as the continuation of a logged one."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Record
from openkoi_models import TaskBudget


@dataclass(frozen=True, slots=True)
class ParentRun:
    """The budget and depth of the parent, if there is one, and the ``records`` of a run that is continued."""

    budget: TaskBudget | None = None
    depth: int = 0
    id: str = ""
    records: Sequence[Record] = ()
    outermost: str = ""
    inbox: list[str] = field(default_factory=list)


ALONE = ParentRun()
