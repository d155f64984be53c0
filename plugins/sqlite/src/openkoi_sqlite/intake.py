"""Records into tables, all of them or none: what is new is kept, and whatever it touches is told again.

Every document is derived from the kept records ordered by time and id, so that any order and batching end the same.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from openkoi_hookspecs import Learning, Record
from openkoi_hookspecs.events import TaskStarted
from openkoi_runlog import encode, in_order, view_of
from openkoi_search.documents import MemoryDocument, document_of_learning, documents_of_run, number

from .seals import row_checksum, seal_words
from .staging import StoredRecord, by_learning, by_run, clean, learnings_of, projects_of, put, to_stored_record, unknown

UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
MOVE = """
INSERT INTO segments VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET seen = excluded.seen, seal = excluded.seal WHERE excluded.seen > seen
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Prepared records, how far each segment was read with them, and why some were skipped."""

    kept: Sequence[StoredRecord]
    ends: Mapping[str, int]
    passed_over: Sequence[str]


def ready(records: Iterable[Record]) -> Batch:
    """Make ready what can be made ready before the file is opened."""
    batch: list[StoredRecord] = []
    ends: dict[str, int] = {}
    passed_over: list[str] = []
    for record in records:
        if record.segment:
            ends[record.segment] = max(record.end, ends.get(record.segment, 0))
        try:
            one = to_stored_record(record)
        except UNREADABLE as error:
            passed_over.append(f"{record.id!r} ({error})")
            continue
        batch += [one] if one else []
    return Batch(batch, ends, passed_over)


def take_in(connection: Connection, batch: Batch, *, moving: bool) -> None:
    """Absorb records, within a transaction. The offsets of their segments move with them when ``moving``."""
    fresh = unknown(connection, batch.kept)
    put(connection, fresh)
    if fresh:
        begun = {one.run for one in fresh if one.name == TaskStarted.name}
        told = tell_runs(connection, {one.run for one in fresh if not one.about})
        learned = {one.about for one in fresh if one.about} | learnings_of(connection, begun)
        if tell_learnings(connection, learned) or told:
            seal_words(connection)
    if moving:
        rows = ((clean(name), end, row_checksum(clean(name), end)) for name, end in batch.ends.items())
        connection.executemany(MOVE, rows)


def tell_runs(connection: Connection, runs: Collection[str]) -> bool:
    """Tell these runs again; whether any document changed."""
    views = [(view_of(in_order(records)), records) for records in by_run(connection, runs).values()]
    told = [one for view, records in views if view.started for one in documents_of_run(view, records)]
    return shelve(connection, {one.number: one for one in told})


def tell_learnings(connection: Connection, ids: Collection[str]) -> bool:
    """Tell these learnings again; whether any document changed."""
    saves = by_learning(connection, ids)
    projects = projects_of(connection, {record.run for records in saves.values() for record in records})
    found = {number(True, id): document_of_learning(records, projects) for id, records in saves.items()}
    return shelve(connection, found)


def shelve(connection: Connection, documents: Mapping[int, MemoryDocument | None]) -> bool:
    """Put documents in the place of those of the same numbers; whether anything changed."""
    known = seals_of(connection, documents)
    rows = {doc: row_of(doc, document) if document else None for doc, document in documents.items()}
    changed = {doc: row for doc, row in rows.items() if known.get(doc) != (row and row.values[-1])}
    gone = [[doc] for doc in changed if doc in known]
    connection.executemany("DELETE FROM words WHERE rowid = ?", gone)
    connection.executemany("DELETE FROM documents WHERE doc = ?", gone)
    fresh = [row for row in changed.values() if row]
    connection.executemany(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (one.values for one in fresh)
    )
    connection.executemany("INSERT INTO words (rowid, line) VALUES (?, ?)", ((one.doc, one.line) for one in fresh))
    return bool(changed)


def seals_of(connection: Connection, numbers: Iterable[int]) -> dict[int, int]:
    """The seals of the documents with these numbers, as they are."""
    found = connection.execute(
        "SELECT doc, seal FROM documents WHERE doc IN (SELECT value FROM json_each(?))", [json.dumps(list(numbers))]
    )
    return dict(found.fetchall())


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document's number, its words as one text, and its values with their checksum."""

    doc: int
    line: str
    values: tuple[object, ...]


def row_of(doc: int, document: MemoryDocument) -> DocumentRow:
    """Write a document down."""
    memo, words = document.memo, document.terms
    values = (
        *(doc, len(words), clean(document.shelf), clean(memo.kind), clean(memo.id)),
        *(int(isinstance(memo, Learning)), document.moment, clean(document.run)),
        *(json.dumps(document.keys), json.dumps(encode(memo))),
    )
    return DocumentRow(doc, clean(" ".join(words)), (*values, row_checksum(*values)))
