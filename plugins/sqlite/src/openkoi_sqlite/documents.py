"""Describe what can be found, and in which scope: a project's or global."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from openkoi_hookspecs import Learning, LearningStatus, MemoryItem, Passage, Record
from openkoi_hookspecs.events import LearningSaved
from openkoi_runlog import in_order, view_of
from openkoi_search.digest import digest
from openkoi_search.pieces import pieces, searchable_text
from openkoi_search.shelves import EVERYONE, TRANSCRIPT, shelf_of
from openkoi_search.words import terms

SHOWN = frozenset({LearningStatus.PROBATION, LearningStatus.ACTIVE})


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A memo and where it stands. ``keys`` are what it is about; a piece of a transcript stands in a ``run``."""

    memo: MemoryItem
    shelf: str
    moment: str
    keys: tuple[str, ...] = ()
    run: str = ""

    @property
    def terms(self) -> list[str]:
        """The words it can be found by."""
        return terms(" ".join((self.memo.text, *self.keys)))


def number(learned: bool, id: str) -> int:
    """The number of a document: the same for the same id, in every file."""
    return int.from_bytes(blake2b(f"{learned}:{id}".encode("utf-8", "replace"), digest_size=7).digest(), "big")


def documents_of_run(run: str, records: Iterable[Record]) -> Iterator[MemoryDocument]:
    """What of a run can be found: nothing before it is known to begin, and how it went when its result is out."""
    ordered = in_order(records)
    view = view_of(ordered)
    if view.started is None:
        return
    shelf, session = shelf_of(view.task.project), view.task.session
    if view.completed:
        text = digest(view.task.text, view.completed, view.final_score, view.resolved)
        passage = Passage(run, text, kind="task", origin=session)
        yield MemoryDocument(passage, shelf, view.completed_at, tuple(sorted(view.files)))
    for record in ordered:
        for n, piece in enumerate(pieces(searchable_text(record.event))):
            passage = Passage(f"{record.id}:{n}", piece, kind=TRANSCRIPT, origin=session)
            yield MemoryDocument(passage, shelf, record.at, run=run)


def document_of_learning(saves: Iterable[Record], projects: dict[str, str]) -> MemoryDocument | None:
    """Return what can be found of a learning, or nothing once it is archived or superseded."""
    ordered = in_order(saves)
    learning = learning_in(ordered[-1])
    if learning.status not in SHOWN or learning.superseded_by:
        return None
    home = first_home(ordered, projects)
    shelf = shelf_of(home) if learning.scope == "project" else EVERYONE
    return MemoryDocument(learning, shelf, ordered[-1].at, learning.keys)


def learning_in(record: Record) -> Learning:
    """The learning that a record saves."""
    if not isinstance(record.event, LearningSaved):
        raise TypeError(f"{record.id} saves no learning")
    return record.event.learning


def first_home(ordered: Sequence[Record], projects: dict[str, str]) -> str:
    """The project of the first run that saved it and is known."""
    return next((projects[record.run] for record in ordered if record.run in projects), "")
