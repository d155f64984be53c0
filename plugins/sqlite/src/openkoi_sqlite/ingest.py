"""Ingest records in one transaction, and rebuild all documents they affect.

Every document is derived from the kept records ordered by time and id, so that the order and batching make no
difference.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from sqlite3 import Connection

from openkoi_hookspecs import Learning, Record
from openkoi_hookspecs.events import TaskStarted
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import build_view, encode, sort_records
from openkoi_search.documents import MemoryDocument, document_of_learning, documents_by_number, number
from openkoi_search.recall_facts import DATA_ERRORS

from .checksums import row_checksum, store_words_checksum
from .stored_records import (
    StoredRecord,
    clean,
    filter_new,
    find_projects,
    insert_records,
    list_learnings,
    load_by_learning,
    load_by_run,
    to_stored_record,
)

MOVE_OFFSETS = """
INSERT INTO segments VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET seen = excluded.seen, seal = excluded.seal WHERE excluded.seen > seen
"""


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Prepared records, how far each segment was read with them, and why some were skipped."""

    kept: Sequence[StoredRecord]
    ends: Mapping[str, int]
    skipped: Sequence[str]


def prepare_batch(records: Iterable[Record]) -> PreparedBatch:
    """Prepare records as far as possible before the file is opened."""
    batch: list[StoredRecord] = []
    ends: dict[str, int] = {}
    passed_over: list[str] = []
    for record in records:
        if record.segment:
            ends[record.segment] = max(record.end, ends.get(record.segment, 0))
        try:
            one = to_stored_record(record)
        except DATA_ERRORS as error:
            passed_over.append(f"{record.id!r} ({error})")
            continue
        batch += [one] if one else []
    return PreparedBatch(batch, ends, passed_over)


def ingest_batch(connection: Connection, batch: PreparedBatch, *, moving: bool) -> None:
    """Ingest records within a transaction; if ``moving``, also advance the offsets of their segments."""
    fresh = filter_new(connection, batch.kept)
    insert_records(connection, fresh)
    if fresh:
        begun = {one.run for one in fresh if one.name == TaskStarted.name}
        documents = rebuild_runs(connection, {one.run for one in fresh if not one.about})
        learned = {one.about for one in fresh if one.about} | list_learnings(connection, begun)
        if rebuild_learnings(connection, learned) or documents:
            store_words_checksum(connection)
    if moving:
        rows = ((clean(name), end, row_checksum(clean(name), end)) for name, end in batch.ends.items())
        connection.executemany(MOVE_OFFSETS, rows)


def rebuild_runs(connection: Connection, runs: Collection[str]) -> bool:
    """Rebuild these runs; return whether any document changed."""
    views = [(build_view(sort_records(records)), records) for records in load_by_run(connection, runs).values()]
    found = [documents_by_number(view, records) for view, records in views if view.started]
    return replace_documents(connection, {number: document for some in found for number, document in some.items()})


def rebuild_learnings(connection: Connection, ids: Collection[str]) -> bool:
    """Rebuild these learnings; return whether any document changed."""
    saves = load_by_learning(connection, ids)
    projects = find_projects(connection, {record.run for records in saves.values() for record in records})
    found = {number(True, name): document_of_learning(records, projects) for name, records in saves.items()}
    return replace_documents(connection, found)


def replace_documents(connection: Connection, documents: Mapping[int, MemoryDocument | None]) -> bool:
    """Replace the documents with the same numbers; return whether anything changed."""
    known = read_checksums(connection, documents)
    rows = {doc: make_document_row(doc, document) if document else None for doc, document in documents.items()}
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


def read_checksums(connection: Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Return the checksums of the documents with these numbers."""
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


def make_document_row(doc: int, document: MemoryDocument) -> DocumentRow:
    """Write a document down."""
    memo, words = document.memo, document.terms
    values = (
        *(doc, len(words), clean(document.scope), clean(memo.kind), clean(memo.id)),
        *(int(isinstance(memo, Learning)), document.moment, clean(document.run)),
        *(json.dumps(document.keys), json.dumps(encode(memo))),
    )
    return DocumentRow(doc, clean(" ".join(words)), (*values, row_checksum(*values)))
