"""Write records to their table, and read them back."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import ConversationRewound, UsageRecorded
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import build_view, sort_records
from openkoi_search.documents import is_hidden, number, pieces_of
from openkoi_search.scopes import TRANSCRIPT

from .codec import parse_fact, to_json
from .reduce_event import KINDS, learning_id, reduce_event
from .rows import ChunkRow, PlaceRow, RecordRow
from .sanitize import storable
from .sql import insert_rows, select_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COLUMNS = "id, moment, run, name, payload"
KNOWN = """
SELECT id FROM records WHERE id IN (SELECT unnest($ids::VARCHAR[]))
UNION ALL SELECT id FROM usage_events WHERE id IN (SELECT unnest($ids::VARCHAR[]))
"""

RELATED = "SELECT id, moment, run, name, about, payload FROM records WHERE run = ? OR (about <> '' AND about = ?)"


@dataclass(frozen=True, slots=True)
class PreparedRecord:
    """A reduced record, its row (None if no table needs it), and its pieces of transcript."""

    record: Record
    row: RecordRow | None = None
    turns: tuple[ChunkRow | PlaceRow, ...] = ()


def prepare_record(record: Record) -> PreparedRecord:
    """Prepare a record before the file is opened."""
    event, turns = reduce_event(record.event), tuple(storable(turn) for turn in make_pieces(record))
    if event is None:
        return PreparedRecord(storable(record) if isinstance(record.event, UsageRecorded) else record, turns=turns)
    one = storable(replace(record, event=event))
    return PreparedRecord(
        one, RecordRow(one.id, one.at, one.run, event.name, learning_id(one.event), to_json(one.event)), turns
    )


def make_pieces(record: Record) -> Iterator[ChunkRow | PlaceRow]:
    """Yield the rows of a record's transcript, which is divided into pieces."""
    for n, (piece_id, piece) in enumerate(pieces_of(record)):
        yield ChunkRow(piece_id, TRANSCRIPT, piece, record.at)
        yield PlaceRow(piece_id, number(False, piece_id), record.run, record.at, n)


def filter_new(connection: "DuckDBPyConnection", batch: Sequence[PreparedRecord]) -> list[PreparedRecord]:
    """Drop the records that another process has already stored from the same log."""
    ids = [one.record.id for one in batch if is_relevant(one)]
    known = {record_id for (record_id,) in connection.execute(KNOWN, {"ids": ids}).fetchall()} if ids else set()
    return [one for one in batch if is_relevant(one) and one.record.id not in known]


def is_relevant(one: PreparedRecord) -> bool:
    """Whether a table needs it."""
    return one.row is not None or bool(one.turns) or isinstance(one.record.event, UsageRecorded)


def find_related(connection: "DuckDBPyConnection", one: PreparedRecord) -> list[PreparedRecord]:
    """Return the stored records of a record's run and learning."""
    if one.row is None:
        return []
    found = connection.execute(RELATED, [one.row.run, one.row.about]).fetchall()
    rows = [RecordRow(*values) for values in found]
    return [
        PreparedRecord(Record(row.id, row.moment, row.run, parse_fact(KINDS[row.name], row.payload)), row)
        for row in rows
    ]


def store_records(connection: "DuckDBPyConnection", batch: Iterable[PreparedRecord]) -> list[Record]:
    """Store the needed parts of the records, each id once; return the records that were stored."""
    rows = {one.row: one.record for one in batch if one.row}
    insert_rows(connection, rows)
    return list(rows.values())


def load_by_run(connection: "DuckDBPyConnection", runs: Collection[str]) -> Mapping[str, list[Record]]:
    """Return all stored records of these runs."""
    found = connection.execute(f"SELECT run, {COLUMNS} FROM records WHERE run IN (SELECT unnest(?))", [list(runs)])
    return group_records(found.fetchall())


def load_by_learning(connection: "DuckDBPyConnection", ids: Collection[str]) -> Mapping[str, list[Record]]:
    """Return all records of these learnings."""
    found = connection.execute(f"SELECT about, {COLUMNS} FROM records WHERE about IN (SELECT unnest(?))", [list(ids)])
    return group_records(found.fetchall())


def list_learnings(connection: "DuckDBPyConnection", runs: Collection[str]) -> set[str]:
    """Return the ids of the learnings that were saved in these runs."""
    statement = "SELECT DISTINCT about FROM records WHERE about <> '' AND run IN (SELECT unnest(?))"
    return {str(about) for (about,) in select_rows(connection, statement, list(runs))}


def find_hidden(connection: "DuckDBPyConnection", runs: Collection[str]) -> list[str]:
    """Return the hidden runs among these; an unknown run does not count."""
    statement = "SELECT DISTINCT run FROM records WHERE name = ? AND run IN (SELECT unnest(?::VARCHAR[]))"
    rewound = [str(run) for (run,) in select_rows(connection, statement, ConversationRewound.name, list(runs))]
    found = load_by_run(connection, rewound) if rewound else {}
    return [run for run, records in found.items() if is_hidden(build_view(sort_records(records)))]


def group_records(found: Iterable[tuple[str, str, str, str, str, str]]) -> Mapping[str, list[Record]]:
    """Return stored records grouped by the first column."""
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for key, record_id, moment, run, name, payload in found:
        groups[key].append(Record(record_id, moment, run, parse_fact(KINDS[name], payload)))
    return groups
