"""A learning as it stands after everything that was said about it. Knows no database.

Its figures are those of the event that said so last: the ledger counts, and says it again whenever they change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Learning, Record
from openkoi_hookspecs.events import LearningSaved
from openkoi_recall.shelves import EVERYONE, shelf_of

from .documents import Document, shown
from .rows import LearningRow


@dataclass(frozen=True, slots=True)
class Home:
    """The run in which a learning was first saved."""

    run: str
    project: str
    category: str


@dataclass(frozen=True, slots=True)
class Saved:
    """One state of a learning."""

    moment: str
    learning: Learning


@dataclass(frozen=True, slots=True)
class Course:
    """All states of one learning, oldest first, and where it comes from."""

    states: Sequence[Saved]
    home: Home | None

    @property
    def latest(self) -> Learning:
        """The learning as it now stands."""
        return self.states[-1].learning


def course(saves: Sequence[Record], homes: Mapping[str, Home]) -> Course:
    """Read what was saved of one learning. Its home is the first run that is known."""
    ordered = sorted(saves, key=lambda record: (record.at, record.id))
    states = [Saved(record.at, record.event.learning) for record in ordered if isinstance(record.event, LearningSaved)]
    return Course(states, next((homes[record.run] for record in ordered if record.run in homes), None))


def learning_row(told: Course) -> LearningRow:
    """Write a learning into its table."""
    learning, home = told.latest, told.home
    created = told.states[0].moment
    return LearningRow(
        id=learning.id,
        type=learning.kind,
        content=learning.text,
        category=home.category if home else None,
        confidence=learning.confidence,
        source_task=home.run if home else None,
        reinforced=learning.helpful,
        created_at=created,
        last_used=learning.last_used or None,
        expires_at=learning.expires_at or None,
    )


def document(told: Course) -> Document | None:
    """Return what can be found of a learning: nothing once it is stale, archived or superseded."""
    learning = told.latest
    if not shown(learning):
        return None
    project = told.home.project if told.home else ""
    shelf = shelf_of(project) if learning.scope == "project" else EVERYONE
    return Document(learning, shelf, told.states[-1].moment, learning.keys)
