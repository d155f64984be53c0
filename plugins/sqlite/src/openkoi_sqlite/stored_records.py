"""Write reduced records to their table, and read them back."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from sqlite3 import Connection

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import LearningSaved, TaskStarted
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import decode, encode
from openkoi_search.recall_facts import KINDS, reduce_event

from .checksums import check_rows, row_checksum

COLUMNS = "id, moment, run, name, about, payload, seal"
WITHIN = "IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as a row of its table; ``about`` is the learning it refers to, if any."""

    id: str
    moment: str
    run: str
    name: str
    about: str
    payload: str

    @property
    def row(self) -> tuple[object, ...]:
        """The row's values and their checksum."""
        values = (self.id, self.moment, self.run, self.name, self.about, self.payload)
        return (*values, row_checksum(*values))

    @property
    def decoded_record(self) -> Record:
        """The decoded record; raises the errors of decoding."""
        return Record(self.id, self.moment, self.run, decode(KINDS[self.name], json.loads(self.payload)))


def to_stored_record(record: Record) -> StoredRecord | None:
    """Return the reduced record to store, or None; raise an error for one that could not be read again."""
    event = reduce_event(record.event)
    if event is None:
        return None
    about = clean(event.learning.id) if isinstance(event, LearningSaved) else ""
    payload = json.dumps(encode(event), separators=(",", ":"))
    one = StoredRecord(clean(record.id), clean(record.at), clean(record.run), event.name, about, payload)
    _ = one.decoded_record
    return one


def clean(text: str) -> str:
    """Return a text that SQLite can store, with question marks for lone surrogates."""
    return text.encode("utf-8", "replace").decode().replace("\0", "?")


def to_parameter(values: Iterable[str]) -> list[str]:
    """Return values as one parameter."""
    return [json.dumps(sorted(set(values)))]


def filter_new(connection: Connection, batch: Collection[StoredRecord]) -> list[StoredRecord]:
    """Return the records that are not stored yet, each once."""
    found = connection.execute(f"SELECT id FROM records WHERE id {WITHIN}", to_parameter(one.id for one in batch))
    known = {record_id for (record_id,) in found}
    return list({one.id: one for one in batch if one.id not in known}.values())


def insert_records(connection: Connection, fresh: Iterable[StoredRecord]) -> None:
    """Keep records."""
    connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", (one.row for one in fresh))


def load_by_run(connection: Connection, runs: Iterable[str]) -> Mapping[str, list[Record]]:
    """Return all stored records of these runs."""
    return group_records(connection, "run", runs)


def load_by_learning(connection: Connection, ids: Iterable[str]) -> Mapping[str, list[Record]]:
    """Return all records of these learnings."""
    return group_records(connection, "about", ids)


def group_records(connection: Connection, column: str, values: Iterable[str]) -> Mapping[str, list[Record]]:
    """Return records grouped by one of their columns."""
    rows = connection.execute(f"SELECT {COLUMNS} FROM records WHERE {column} {WITHIN}", to_parameter(values))
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for row in check_rows(rows):
        one = StoredRecord(*map(str, row))
        groups[getattr(one, column)].append(one.decoded_record)
    return groups


def find_projects(connection: Connection, runs: Iterable[str]) -> dict[str, str]:
    """Return the projects of the runs whose start is known."""
    projects = {}
    for run, records in load_by_run(connection, runs).items():
        started = [record.event for record in records if isinstance(record.event, TaskStarted)]
        if started:
            projects[run] = started[0].task.project
    return projects


def list_learnings(connection: Connection, runs: Iterable[str]) -> set[str]:
    """Return the learnings that were saved in these runs."""
    rows = connection.execute(
        f"SELECT DISTINCT about FROM records WHERE about <> '' AND run {WITHIN}", to_parameter(runs)
    )
    return {about for (about,) in rows}
