"""Represent the state of a learning after all of its events."""

from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Learning, Record
from openkoi_hookspecs.events import LearningSaved
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.documents import MemoryDocument, document_of_state

from .rows import LearningRow


@dataclass(frozen=True, slots=True)
class Home:
    """The run in which a learning was first saved."""

    run: str
    project: str
    category: str


@dataclass(frozen=True, slots=True)
class LearningState:
    """One state of a learning."""

    moment: str
    learning: Learning


@dataclass(frozen=True, slots=True)
class LearningHistory:
    """All states of one learning, oldest first, and its origin."""

    states: Sequence[LearningState]
    home: Home | None

    @property
    def latest(self) -> Learning:
        """The learning as it now stands."""
        return self.states[-1].learning


def build_history(saves: Sequence[Record], homes: Mapping[str, Home]) -> LearningHistory:
    """Read what was saved of one learning. Its home is the first run that is known."""
    ordered = sorted(saves, key=lambda record: (record.at, record.id))
    states = [
        LearningState(record.at, record.event.learning) for record in ordered if isinstance(record.event, LearningSaved)
    ]
    return LearningHistory(states, next((homes[record.run] for record in ordered if record.run in homes), None))


def make_learning_row(history: LearningHistory) -> LearningRow:
    """Write a learning into its table."""
    learning, home = history.latest, history.home
    created = history.states[0].moment
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


def make_document(history: LearningHistory) -> MemoryDocument | None:
    """Return what can be found of a learning: nothing once it is stale, archived or superseded."""
    return document_of_state(history.latest, history.home.project if history.home else "", history.states[-1].moment)
