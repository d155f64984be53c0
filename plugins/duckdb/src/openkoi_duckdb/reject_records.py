"""Skip records that no table can store, so that one of them does not block the others."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import UnknownEvent
from openkoi_search.recall_facts import DATA_ERRORS

from .ingest import ingest_batch
from .layout import create_tables
from .stored_records import PreparedRecord, find_related, prepare_record

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def prepare_batch(records: Iterable[Record]) -> tuple[list[PreparedRecord], list[str]]:
    """Prepare records; of a record that cannot be written, keep only the offset."""
    batch: list[PreparedRecord] = []
    misfits: list[str] = []
    for record in records:
        try:
            batch.append(prepare_record(record))
        except DATA_ERRORS as error:
            batch.append(make_placeholder(record))
            misfits.append(make_rejection(record, error))
    return batch, misfits


def ingest_valid(connection: "DuckDBPyConnection", batch: Sequence[PreparedRecord], *, moving: bool) -> list[str]:
    """Ingest records; return those that were skipped, found by bisection."""
    from .native import duckdb

    try:
        ingest_batch(connection, batch, moving=moving)
    except (*DATA_ERRORS, duckdb.Error) as error:
        if len(batch) > 1:
            middle = len(batch) // 2
            parts = batch[:middle], batch[middle:]
            return [found for part in parts for found in ingest_valid(connection, part, moving=moving)]
        if isinstance(error, duckdb.Error) and all(fits_empty_file(connection, one) for one in batch):
            raise
        ingest_batch(connection, [make_placeholder(one.record) for one in batch], moving=moving)
        return [make_rejection(one.record, error) for one in batch]
    return []


def fits_empty_file(connection: "DuckDBPyConnection", one: PreparedRecord) -> bool:
    """Return whether an empty store accepts the record with its context; if it does, the file is damaged."""
    from .native import duckdb

    related = find_related(connection, one)
    with closing(duckdb.connect()) as empty:
        create_tables(empty)
        try:
            ingest_batch(empty, [*related, one], moving=False)
        except (*DATA_ERRORS, duckdb.Error):
            return False
    return True


def make_placeholder(record: Record) -> PreparedRecord:
    """Return only a record's position in the log."""
    return PreparedRecord(replace(record, event=UnknownEvent({})))


def make_rejection(record: Record, error: Exception) -> str:
    """Return which record was skipped, and why."""
    first, *_ = str(error).splitlines() or [type(error).__name__]
    return f"{record.id!r} ({first})"
