"""Records into tables, all of them or none: what is new is kept, and whatever it touches is told again.

Every document is derived from the kept records ordered by time and id, so that any order and batching end the same.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from openkoi_hookspecs import Learning, Record
from openkoi_hookspecs.events import TaskStarted
from openkoi_log import encode

from .documents import Document, document_of_learning, document_of_run
from .seals import seal_words, sealed
from .staging import Kept, by_learning, by_run, clean, kept, learnings_of, projects_of, put, unknown
from .stories import story

UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
MOVE = """
INSERT INTO segments VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET seen = excluded.seen, seal = excluded.seal WHERE excluded.seen > seen
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Records made ready, how far each segment was read with them, and why some were passed over."""

    kept: Sequence[Kept]
    ends: Mapping[str, int]
    passed_over: Sequence[str]


def ready(records: Iterable[Record]) -> Batch:
    """Make ready what can be made ready before the file is opened."""
    batch: list[Kept] = []
    ends: dict[str, int] = {}
    passed_over: list[str] = []
    for record in records:
        if record.segment:
            ends[record.segment] = max(record.end, ends.get(record.segment, 0))
        try:
            one = kept(record)
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
        rows = ((clean(name), end, sealed(clean(name), end)) for name, end in batch.ends.items())
        connection.executemany(MOVE, rows)


def tell_runs(connection: Connection, runs: Collection[str]) -> bool:
    """Tell these runs again; whether any document changed."""
    stories = by_run(connection, runs)
    found = {run: document_of_run(run, story(records)) for run, records in stories.items()}
    return shelve(connection, found, learned=False)


def tell_learnings(connection: Connection, ids: Collection[str]) -> bool:
    """Tell these learnings again; whether any document changed."""
    saves = by_learning(connection, ids)
    projects = projects_of(connection, {record.run for records in saves.values() for record in records})
    found = {id: document_of_learning(records, projects) for id, records in saves.items()}
    return shelve(connection, found, learned=True)


def shelve(connection: Connection, documents: Mapping[str, Document | None], *, learned: bool) -> bool:
    """Put documents in the place of those of the same ids; whether anything changed."""
    changed = False
    for id, document in documents.items():
        before = connection.execute("SELECT doc, seal FROM documents WHERE learned = ? AND id = ?", [learned, id])
        old = before.fetchone()
        row = row_of(id, document, learned) if document else None
        if (old and old[1]) == (row and row[-1]):
            continue
        changed = True
        if old:
            connection.execute("DELETE FROM words WHERE rowid = ?", [old[0]])
            connection.execute("DELETE FROM documents WHERE doc = ?", [old[0]])
        if row and document:
            added = connection.execute("INSERT INTO documents VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            connection.execute("INSERT INTO words (rowid, line) VALUES (?, ?)", [added.lastrowid, document.line])
    return changed


def row_of(id: str, document: Document, learned: bool) -> tuple[object, ...]:
    """A document's values and their seal."""
    memo = document.memo
    kind = clean(memo.kind)
    values = (
        *(id, int(isinstance(memo, Learning)), kind, clean(document.shelf), document.moment),
        *(json.dumps(document.keys), json.dumps(encode(memo))),
    )
    return (*values, sealed(*values))
