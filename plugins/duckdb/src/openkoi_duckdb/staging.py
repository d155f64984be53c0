"""The records that are kept, in and out of their table."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import UsageRecorded

from .codec import read, written
from .retention import KINDS, about, kept
from .rows import RecordRow
from .sql import put, selected
from .storable import storable
from .transcripts import Turn, turns_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COLUMNS = "id, moment, run, name, payload"
KNOWN = """
SELECT id FROM records WHERE id IN (SELECT unnest($ids::VARCHAR[]))
UNION ALL SELECT id FROM usage_events WHERE id IN (SELECT unnest($ids::VARCHAR[]))
"""

KIN = "SELECT id, moment, run, name, about, payload FROM records WHERE run = ? OR (about <> '' AND about = ?)"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A record without its bulk, how it is kept, and what was said in it: nothing when no table speaks of it."""

    record: Record
    row: RecordRow | None = None
    turns: tuple[Turn, ...] = ()


def prepared(record: Record) -> Prepared:
    """Make ready what can be made ready before the file is opened."""
    event, turns = kept(record.event), tuple(storable(turn) for turn in turns_of(record))
    if event is None:
        return Prepared(storable(record) if isinstance(record.event, UsageRecorded) else record, turns=turns)
    one = storable(replace(record, event=event))
    return Prepared(one, RecordRow(one.id, one.at, one.run, event.name, about(one.event), written(one.event)), turns)


def unknown(connection: "DuckDBPyConnection", batch: Sequence[Prepared]) -> list[Prepared]:
    """Leave out what is in the tables already, told by another process that read the same log."""
    ids = [one.record.id for one in batch if matters(one)]
    known = {id for (id,) in connection.execute(KNOWN, {"ids": ids}).fetchall()} if ids else set()
    return [one for one in batch if matters(one) and one.record.id not in known]


def matters(one: Prepared) -> bool:
    """Whether a table speaks of it."""
    return one.row is not None or bool(one.turns) or isinstance(one.record.event, UsageRecorded)


def kin(connection: "DuckDBPyConnection", one: Prepared) -> list[Prepared]:
    """Return what is kept of the run and of the learning that a record is about."""
    if one.row is None:
        return []
    found = connection.execute(KIN, [one.row.run, one.row.about]).fetchall()
    rows = [RecordRow(*values) for values in found]
    return [Prepared(Record(row.id, row.moment, row.run, read(KINDS[row.name], row.payload)), row) for row in rows]


def stage(connection: "DuckDBPyConnection", batch: Iterable[Prepared]) -> list[Record]:
    """Keep what is needed of the records, each id once; return those that were kept."""
    rows = {one.row: one.record for one in batch if one.row}
    put(connection, rows)
    return list(rows.values())


def by_run(connection: "DuckDBPyConnection", runs: Collection[str]) -> Mapping[str, list[Record]]:
    """Return everything that is kept of these runs."""
    found = connection.execute(f"SELECT run, {COLUMNS} FROM records WHERE run IN (SELECT unnest(?))", [list(runs)])
    return grouped(found.fetchall())


def by_learning(connection: "DuckDBPyConnection", ids: Collection[str]) -> Mapping[str, list[Record]]:
    """Return everything that was said about these learnings."""
    found = connection.execute(f"SELECT about, {COLUMNS} FROM records WHERE about IN (SELECT unnest(?))", [list(ids)])
    return grouped(found.fetchall())


def learnings_of(connection: "DuckDBPyConnection", runs: Collection[str]) -> set[str]:
    """Return the ids of the learnings that were saved in these runs."""
    statement = "SELECT DISTINCT about FROM records WHERE about <> '' AND run IN (SELECT unnest(?))"
    return {str(id) for (id,) in selected(connection, statement, list(runs))}


def grouped(found: Iterable[tuple[str, str, str, str, str, str]]) -> Mapping[str, list[Record]]:
    """Make records of what is kept, by the first column."""
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for key, id, moment, run, name, payload in found:
        groups[key].append(Record(id, moment, run, read(KINDS[name], payload)))
    return groups
