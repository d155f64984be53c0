"""Records that no table can hold are sifted out, so that one of them never stops the others. Knows no table."""

import logging
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import UnknownEvent

from .intake import take_in
from .layout import create_tables
from .staging import Prepared, kin, prepare_record

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

OURS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """A record that cannot be stored, and why."""

    id: str
    reason: str


def ready(records: Iterable[Record]) -> tuple[list[Prepared], list[RejectedRecord]]:
    """Make records ready; of one that cannot be written at all only the offset is left."""
    batch: list[Prepared] = []
    misfits: list[RejectedRecord] = []
    for record in records:
        try:
            batch.append(prepare_record(record))
        except OURS as error:
            batch.append(make_placeholder(record))
            misfits.append(misfit(record, error))
    return batch, misfits


def sift_in(connection: "DuckDBPyConnection", batch: Sequence[Prepared], *, moving: bool) -> list[RejectedRecord]:
    """Ingest records; return those that were skipped, found by bisection."""
    from .native import duckdb

    try:
        take_in(connection, batch, moving=moving)
    except (*OURS, duckdb.Error) as error:
        if len(batch) > 1:
            middle = len(batch) // 2
            parts = batch[:middle], batch[middle:]
            return [found for part in parts for found in sift_in(connection, part, moving=moving)]
        if isinstance(error, duckdb.Error) and all(fits(connection, one) for one in batch):
            raise
        take_in(connection, [make_placeholder(one.record) for one in batch], moving=moving)
        return [misfit(one.record, error) for one in batch]
    return []


def fits(connection: "DuckDBPyConnection", one: Prepared) -> bool:
    """Whether an empty store would take it, with what it belongs to: then it is the file that is not well."""
    from .native import duckdb

    related = kin(connection, one)
    with closing(duckdb.connect()) as empty:
        create_tables(empty)
        try:
            take_in(empty, [*related, one], moving=False)
        except (*OURS, duckdb.Error):
            return False
    return True


def make_placeholder(record: Record) -> Prepared:
    """Return only a record's position in the log."""
    return Prepared(replace(record, event=UnknownEvent({})))


def misfit(record: Record, error: Exception) -> RejectedRecord:
    """Return why a record was skipped."""
    first, *_ = str(error).splitlines() or [type(error).__name__]
    return RejectedRecord(record.id, first)


def say(misfits: Sequence[RejectedRecord]) -> None:
    """Warn about skipped records."""
    if misfits:
        logging.getLogger("openkoi").warning(
            "Memory skipped %d records of the run log that it cannot store. The first: %r (%s). "
            "The run log keeps them; everything else is remembered.",
            len(misfits),
            misfits[0].id,
            misfits[0].reason,
        )
