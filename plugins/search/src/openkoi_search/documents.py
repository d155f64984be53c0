"""What a memory can find: documents made of the records of the log, the same whatever order those came in.

A finished task is remembered by a digest, what was said in it by pieces of the transcript, and a learning as it was
saved last. Any memory makes its documents here, so that all of them find the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from openkoi_hookspecs import Learning, LearningStatus, MemoryItem, Passage, Query, Record
from openkoi_hookspecs.events import LearningSaved
from openkoi_runlog import RunView, in_order, view_of

from .digest import digest
from .pieces import pieces, searchable_text
from .shelves import EVERYONE, TRANSCRIPT, shelf_of
from .words import terms

VISIBLE = frozenset({LearningStatus.PROBATION, LearningStatus.ACTIVE})


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """Something that can be found, and where: on the shelf of a project, or on everyone's.

    ``keys`` are the files, tools and names that it is about. A piece of a transcript belongs to a ``run``: those beside
    it in the same run help to find it. ``moment`` is when it was written, in UTC.
    """

    memo: MemoryItem
    shelf: str
    moment: str
    keys: tuple[str, ...] = ()
    run: str = ""

    @property
    def terms(self) -> list[str]:
        """The words that it can be found by."""
        return terms(" ".join((self.memo.text, *self.keys)))

    @property
    def number(self) -> int:
        """A number for it: the same for the same id, on every machine."""
        return number(isinstance(self.memo, Learning), self.memo.id)

    def answers(self, query: Query) -> bool:
        """Whether a query may be answered by it: it is on a shelf that the query sees, of its kinds and keys."""
        seen = query.scope != "project" or self.shelf in (shelf_of(query.project), EVERYONE)
        wanted = not query.kinds or self.memo.kind in query.kinds
        return seen and wanted and (not query.keys or bool({*query.keys} & {*self.keys}))


def number(learned: bool, id: str) -> int:
    """Return the number of a document by its id, and whether it is a learning."""
    return int.from_bytes(blake2b(f"{learned}:{id}".encode("utf-8", "replace"), digest_size=7).digest(), "big")


def documents_of(records: Iterable[Record]) -> Iterator[MemoryDocument]:
    """Return all that can be found of these records, which are all that is known."""
    runs, saves = defaultdict[str, list[Record]](list), defaultdict[str, list[Record]](list)
    for record in records:
        runs[record.run].append(record)
        if isinstance(record.event, LearningSaved):
            saves[record.event.learning.id].append(record)
    views = {run: view for run, own in runs.items() if (view := view_of(in_order(own))).started}
    for run, view in views.items():
        yield from documents_of_run(view, runs[run])
    projects = {run: view.task.project for run, view in views.items()}
    for own in saves.values():
        if document := document_of_learning(own, projects):
            yield document


def documents_of_run(view: RunView, records: Iterable[Record]) -> Iterator[MemoryDocument]:
    """Return what can be found of a run: how it went, once its result is out, and what was said in it."""
    if document := document_of_task(view):
        yield document
    for record in in_order(records):
        for id, piece in pieces_of(record):
            yield document_of_piece(id, piece, record.at, view.task.session, view.task.project, record.run)


def document_of_task(view: RunView) -> MemoryDocument | None:
    """Return what a task is remembered by; None until its result is out."""
    if view.started is None or view.completed is None:
        return None
    passage = Passage(view.run, text_of_task(view), kind="task", origin=view.task.session)
    return MemoryDocument(passage, shelf_of(view.task.project), view.completed_at, tuple(sorted(view.files)))


def text_of_task(view: RunView) -> str:
    """Return the words that a finished task is remembered by; none until its result is out."""
    return digest(view.task.text, view.completed, view.final_score, view.resolved) if view.completed else ""


def pieces_of(record: Record) -> Sequence[tuple[str, str]]:
    """Return what was said in a record, in pieces with ids."""
    return [(f"{record.id}:{place}", piece) for place, piece in enumerate(pieces(searchable_text(record.event)))]


def document_of_piece(id: str, text: str, moment: str, session: str, project: str, run: str = "") -> MemoryDocument:
    """Return a piece of a transcript, on the shelf of the project that it was said in."""
    return MemoryDocument(Passage(id, text, kind=TRANSCRIPT, origin=session), shelf_of(project), moment, run=run)


def document_of_learning(saves: Iterable[Record], projects: Mapping[str, str]) -> MemoryDocument | None:
    """Return a learning as it was saved last, in the project of the first run that saved it and is known.

    None once it is archived, stale or superseded.
    """
    ordered = in_order(saves)
    home = next((projects[record.run] for record in ordered if record.run in projects), "")
    return document_of_state(learning_of(ordered[-1]), home, ordered[-1].at)


def document_of_state(learning: Learning, project: str, moment: str) -> MemoryDocument | None:
    """Return one state of a learning; None for one that is not shown."""
    if learning.status not in VISIBLE or learning.superseded_by:
        return None
    shelf = shelf_of(project) if learning.scope == "project" else EVERYONE
    return MemoryDocument(learning, shelf, moment, learning.keys)


def learning_of(record: Record) -> Learning:
    """Return the learning that a record saves."""
    if not isinstance(record.event, LearningSaved):
        raise TypeError(f"{record.id} saves no learning")
    return record.event.learning
