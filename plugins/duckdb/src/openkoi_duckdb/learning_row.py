"""Build the row of a learning from all records that saved it."""

from collections.abc import Iterable, Mapping

from openkoi_hookspecs import Record
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import sort_records
from openkoi_search.documents import learning_of

from .rows import LearningRow


@dataclass(frozen=True, slots=True)
class Home:
    """The run in which a learning was first saved."""

    run: str
    project: str
    category: str


def make_learning_row(saves: Iterable[Record], homes: Mapping[str, Home]) -> LearningRow:
    """Return a learning as it was last saved. Its home is the first known run."""
    ordered = sort_records(saves)
    learning = learning_of(ordered[-1])
    home = next((homes[record.run] for record in ordered if record.run in homes), None)
    return LearningRow(
        id=learning.id,
        type=learning.kind,
        content=learning.text,
        category=home.category if home else None,
        confidence=learning.confidence,
        source_task=home.run if home else None,
        reinforced=learning.helpful,
        created_at=ordered[0].at,
        last_used=learning.last_used or None,
        expires_at=learning.expires_at or None,
    )
