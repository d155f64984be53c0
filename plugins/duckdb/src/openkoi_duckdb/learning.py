"""A learning as it stands after everything that was said about it. Knows no database.

``confidence`` and ``expires_at`` are what the ledger's rules make of the counts that are in the log: from one half on,
harm weighs more than help, and a twentieth is lost a week since it last helped. What the ledger itself says of an entry
(``openkoi learn why``) can differ: what it was trusted with at first, whether it is pinned, which uses are long ago and
another ``learning_decay_rate`` are not in the event.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from math import log

from openkoi_hookspecs import Learning, Record
from openkoi_hookspecs.events import LearningSaved
from openkoi_recall.shelves import EVERYONE, shelf_of

from .documents import Document, shown
from .rows import LearningRow

DECAY_PER_WEEK = 0.05
WORTH_KEEPING = 0.1
BASE = 0.5
HARM = 1.5
WEEK = timedelta(weeks=1)


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
    created, used = told.states[0].moment, last_helped(told.states)
    confidence = confidence_of(learning)
    return LearningRow(
        id=learning.id,
        type=learning.kind,
        content=learning.text,
        category=home.category if home else None,
        confidence=confidence,
        source_task=home.run if home else None,
        reinforced=learning.helpful,
        created_at=created,
        last_used=used,
        expires_at=expiry(confidence, used or created),
    )


def document(told: Course) -> Document | None:
    """Return what can be found of a learning: nothing once it is stale, archived or superseded."""
    learning = told.latest
    if not shown(learning):
        return None
    project = told.home.project if told.home else ""
    shelf = shelf_of(project) if learning.scope == "project" else EVERYONE
    return Document(learning, shelf, told.states[-1].moment, learning.keys)


def confidence_of(learning: Learning) -> float:
    """Return what a learning is worth by its counts, where nothing else is known of it."""
    return (learning.helpful + 2 * BASE) / (learning.helpful + HARM * learning.harmful + 2)


def last_helped(states: Sequence[Saved]) -> str | None:
    """Return when it last helped, or None."""
    helped = [after.moment for before, after in pairwise(states) if after.learning.helpful > before.learning.helpful]
    return helped[-1] if helped else None


def expiry(confidence: float, since: str) -> str:
    """Return when decay will have taken the confidence below what is worth keeping."""
    if confidence <= WORTH_KEEPING:
        return since
    moment = datetime.fromisoformat(since) + log(confidence / WORTH_KEEPING) / DECAY_PER_WEEK * WEEK
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
