"""The origin of a run: on its own, part of another one, or resumed from the log."""

from collections.abc import Sequence

from openkoi_hookspecs import Record
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_models import TaskBudget


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """The id of a new run, the budget and depth that its parent run leaves it, and the ``records`` of a resumed run."""

    budget: TaskBudget | None = None
    depth: int = 0
    id: str = ""
    records: Sequence[Record] = ()
    outermost: str = ""


ALONE = RunOrigin()
