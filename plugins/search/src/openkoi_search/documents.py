"""Make the documents that a memory can find from the records of the log, independent of their order.

A finished task becomes a summary, its messages become chunks of a transcript, and a learning counts as last saved.
Every memory makes its documents here, so that all of them find the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

from openkoi_hookspecs import Learning, LearningStatus, MemoryItem, Passage, Query, Record
from openkoi_hookspecs.events import LearningSaved
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import RunView, build_view, sort_records

from .chunking import searchable_text, split_chunks
from .scopes import EVERYONE, TRANSCRIPT, scope_of
from .task_summary import summarize_task
from .words import document_terms, index_terms

VISIBLE = frozenset({LearningStatus.PROBATION, LearningStatus.ACTIVE})


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A document, and its scope: a project, or everyone.

    ``keys`` are the files, tools and names that it is about. A chunk of a transcript belongs to a ``run``: its
    neighbours there help to find it. ``moment`` is when it was written, in UTC.
    """

    memo: MemoryItem
    scope: str
    moment: str
    keys: tuple[str, ...] = ()
    run: str = ""

    @property
    def terms(self) -> list[str]:
        """The words by which it can be found."""
        return [*document_terms(self.memo.text), *index_terms(" ".join(self.keys))]

    @property
    def number(self) -> int:
        """The document's number: equal for equal ids, on every machine."""
        return number(isinstance(self.memo, Learning), self.memo.id)

    def answers(self, query: Query) -> bool:
        """Return whether the document matches a query's scope, kinds and keys."""
        seen = query.scope != "project" or self.scope in (scope_of(query.project), EVERYONE)
        wanted = not query.kinds or self.memo.kind in query.kinds
        return seen and wanted and (not query.keys or bool({*query.keys} & {*self.keys}))


def number(learned: bool, id: str) -> int:
    """Return the number of a document by its id, and whether it is a learning."""
    return int.from_bytes(blake2b(f"{learned}:{id}".encode("utf-8", "replace"), digest_size=7).digest(), "big")


def documents_of(records: Iterable[Record]) -> Iterator[MemoryDocument]:
    """Yield all documents of these records, which must be all that are known."""
    runs, saves = defaultdict[str, list[Record]](list), defaultdict[str, list[Record]](list)
    for record in records:
        runs[record.run].append(record)
        if isinstance(record.event, LearningSaved):
            saves[record.event.learning.id].append(record)
    views = {run: view for run, own in runs.items() if (view := build_view(sort_records(own))).started}
    for run, view in views.items():
        yield from documents_of_run(view, runs[run])
    projects = {run: view.task.project for run, view in views.items()}
    for own in saves.values():
        if document := document_of_learning(own, projects):
            yield document


def documents_of_run(view: RunView, records: Iterable[Record]) -> Iterator[MemoryDocument]:
    """Yield the documents of a run: its summary, once its result is out, and its messages."""
    yield from filter(None, documents_by_number(view, records).values())


def documents_by_number(view: RunView, records: Iterable[Record]) -> dict[int, MemoryDocument | None]:
    """Return the documents of a run by number; None for each one that cannot be found or was removed."""
    found = {number(False, view.run): document_of_task(view)}
    for record in sort_records(records):
        for id, piece in pieces_of(record):
            document = document_of_piece(id, piece, record.at, view.task.session, view.task.project, record.run)
            found[document.number] = None if is_hidden(view) else document
    return found


def is_hidden(view: RunView) -> bool:
    """Return whether a run has nothing to find, because its start is unknown, or it was rewound."""
    return view.started is None or bool(view.rewound_to)


def document_of_task(view: RunView) -> MemoryDocument | None:
    """Return the summary of a task; None until its result is out, and for a hidden run."""
    if view.completed is None or is_hidden(view):
        return None
    passage = Passage(view.run, text_of_task(view), kind="task", origin=view.task.session)
    return MemoryDocument(passage, scope_of(view.task.project), view.completed_at, tuple(sorted(view.files)))


def text_of_task(view: RunView) -> str:
    """Return the text of a finished task's summary; empty until its result is out."""
    return (
        summarize_task(view.task.text, view.completed, view.final_score, view.resolved_findings, view.skills)
        if view.completed
        else ""
    )


def pieces_of(record: Record) -> Sequence[tuple[str, str]]:
    """Return the messages in a record as chunks with ids."""
    return [(f"{record.id}:{place}", piece) for place, piece in enumerate(split_chunks(searchable_text(record.event)))]


def document_of_piece(id: str, text: str, moment: str, session: str, project: str, run: str = "") -> MemoryDocument:
    """Return a chunk of a transcript, in the scope of its project."""
    return MemoryDocument(Passage(id, text, kind=TRANSCRIPT, origin=session), scope_of(project), moment, run=run)


def document_of_learning(saves: Iterable[Record], projects: Mapping[str, str]) -> MemoryDocument | None:
    """Return a learning as last saved, in the project of the first known run that saved it.

    None once it is archived, stale or superseded.
    """
    ordered = sort_records(saves)
    home = next((projects[record.run] for record in ordered if record.run in projects), "")
    return document_of_state(learning_of(ordered[-1]), home, ordered[-1].at)


def document_of_state(learning: Learning, project: str, moment: str) -> MemoryDocument | None:
    """Return one state of a learning; None for one that is not shown."""
    if learning.status not in VISIBLE or learning.superseded_by:
        return None
    scope = scope_of(project) if learning.scope == "project" else EVERYONE
    return MemoryDocument(learning, scope, moment, learning.keys)


def learning_of(record: Record) -> Learning:
    """Return the learning that a record saves."""
    if not isinstance(record.event, LearningSaved):
        raise TypeError(f"{record.id} has no learning")
    return record.event.learning
