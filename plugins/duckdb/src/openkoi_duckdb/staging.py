"""The records that are kept, in and out of their table."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record

from .codec import read, written
from .kept import KINDS, about, kept
from .rows import RecordRow
from .sql import put, selected

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COLUMNS = "id, moment, run, name, payload"


def stage(connection: "DuckDBPyConnection", records: Iterable[Record]) -> list[Record]:
    """Keep what is needed of the records, each id once; return those that matter."""
    events = [(record, event) for record in records if (event := kept(record.event))]
    put(
        connection,
        [RecordRow(one.id, one.at, one.run, event.name, about(event), written(event)) for one, event in events],
    )
    return [record for record, _ in events]


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
