"""Write records to the tables in one transaction, and rebuild everything they affect.

Every row is derived from staged records ordered by time and id, so that order and batching do not matter.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import LearningSaved, TaskStarted, UsageRecorded
from openkoi_search.documents import document_of_task, number

from . import learning, run_state
from .aggregates import renew_effectiveness, renew_patterns, renew_sessions, usage_row
from .index import reindex
from .learning import Home, course
from .passages import keep_turns
from .sql import delete, put, transaction
from .staging import Prepared, by_learning, by_run, learnings_of, stage, unknown

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def take_in(connection: "DuckDBPyConnection", batch: Sequence[Prepared], *, moving: bool) -> None:
    """Absorb records, all or none. The offsets of their segments move with them when ``moving``."""
    with transaction(connection):
        fresh = unknown(connection, batch)
        staged = stage(connection, fresh)
        if staged:
            tell_runs(connection, {record.run for record in staged})
            tell_learnings(connection, touched_learnings(connection, staged))
        begun = {record.run for record in staged if isinstance(record.event, TaskStarted)}
        keep_turns(connection, [turn for one in fresh for turn in one.turns], begun)
        tell_usage(connection, [one.record for one in fresh])
        if moving:
            move(connection, [one.record for one in batch])


def touched_learnings(connection: "DuckDBPyConnection", staged: Sequence[Record]) -> set[str]:
    """Return the learnings that records refer to, or that come from a newly known run."""
    begun = {record.run for record in staged if isinstance(record.event, TaskStarted)}
    spoken = {record.event.learning.id for record in staged if isinstance(record.event, LearningSaved)}
    return spoken | (learnings_of(connection, begun) if begun else set())


def tell_runs(connection: "DuckDBPyConnection", runs: Collection[str]) -> None:
    """Tell these runs again, from all that is known of them."""
    views = [view for records in by_run(connection, runs).values() if (view := run_state.run_view(records))]
    forget_runs(connection, known_runs(connection, runs))
    put(connection, (row for view in views for row in run_state.rows(view)))
    renew_sessions(connection, {view.task.session for view in views})
    documents = [found for view in views if (found := document_of_task(view))]
    reindex(connection, [number(False, run) for run in runs], documents)


def known_runs(connection: "DuckDBPyConnection", runs: Collection[str]) -> list[str]:
    """Return the runs that are already stored."""
    found = connection.execute("SELECT id FROM runs WHERE id IN (SELECT unnest(?::VARCHAR[]))", [list(runs)])
    return [run for (run,) in found.fetchall()]


def forget_runs(connection: "DuckDBPyConnection", runs: Collection[str]) -> None:
    """Delete the rows of these runs."""
    if not runs:
        return
    cycles = "SELECT id FROM iteration_cycles WHERE task_id IN (SELECT unnest(?::VARCHAR[]))"
    connection.execute(f"DELETE FROM findings WHERE cycle_id IN ({cycles})", [list(runs)])
    connection.execute(f"DELETE FROM cycle_outcomes WHERE id IN ({cycles})", [list(runs)])
    delete(connection, "iteration_cycles", "task_id", runs)
    for table in ("runs", "tasks", "memory_chunks"):
        delete(connection, table, "id", runs)


def tell_learnings(connection: "DuckDBPyConnection", ids: Collection[str]) -> None:
    """Tell these learnings again, from all that was said about them."""
    if not ids:
        return
    saves = by_learning(connection, ids)
    homes = homes_of(connection, {record.run for records in saves.values() for record in records})
    courses = [course(records, homes) for records in saves.values()]
    delete(connection, "learnings", "id", ids)
    put(connection, map(learning.learning_row, courses))
    documents = [found for told in courses if (found := learning.document(told))]
    reindex(connection, [number(True, id) for id in ids], documents)


def homes_of(connection: "DuckDBPyConnection", runs: Collection[str]) -> dict[str, Home]:
    """Return where the runs belong that are known."""
    statement = "SELECT id, project, category FROM runs WHERE id IN (SELECT unnest(?::VARCHAR[]))"
    return {row[0]: Home(*row) for row in connection.execute(statement, [list(runs)]).fetchall()}


def tell_usage(connection: "DuckDBPyConnection", records: Sequence[Record]) -> None:
    """Write down what people did, and how the skills they used did."""
    used = [usage_row(record, record.event) for record in records if isinstance(record.event, UsageRecorded)]
    put(connection, used)
    if used:
        renew_patterns(connection)
    if any(record.event.skills for record in records if isinstance(record.event, UsageRecorded)):
        renew_effectiveness(connection)


def move(connection: "DuckDBPyConnection", records: Sequence[Record]) -> None:
    """Move the offsets of the segments that the records were read from; they never go back."""
    ends: dict[str, int] = {}
    for record in records:
        if record.segment:
            ends[record.segment] = max(record.end, ends.get(record.segment, 0))
    connection.execute(
        "INSERT INTO segments SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[]) "
        "ON CONFLICT DO UPDATE SET seen = excluded.seen WHERE excluded.seen > seen",
        [list(ends), list(ends.values())],
    )
