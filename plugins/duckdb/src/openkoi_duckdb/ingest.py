"""Write records to the tables in one transaction, and rebuild everything they affect.

Every row is derived from staged records ordered by time and id, so that order and batching do not matter.
"""

from collections.abc import Collection, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import ConversationRewound, LearningSaved, RunResumed, TaskStarted, UsageRecorded
from openkoi_runlog import RunView, build_views, sort_records
from openkoi_search.documents import document_of_learning, document_of_task, number

from . import run_rows
from .aggregates import make_usage_row, update_effectiveness, update_patterns, update_sessions
from .index import reindex
from .learning_row import Home, make_learning_row
from .sql import delete_rows, insert_rows, transaction
from .store_pieces import store_pieces
from .stored_records import PreparedRecord, filter_new, list_learnings, load_by_learning, load_by_run, store_records

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

PARENTS = """
WITH RECURSIVE above(id) AS (
    SELECT unnest(?::VARCHAR[]) UNION SELECT runs.parent FROM runs JOIN above ON runs.id = above.id)
SELECT id FROM runs WHERE id IN (FROM above) AND id IN (SELECT parent FROM runs)
"""
PARTS = """
WITH RECURSIVE below(id) AS (
    SELECT unnest(?::VARCHAR[]) UNION SELECT runs.id FROM runs JOIN below ON runs.parent = below.id)
SELECT id FROM below
"""


def ingest_batch(connection: "DuckDBPyConnection", batch: Sequence[PreparedRecord], *, moving: bool) -> None:
    """Ingest records, all or none; if ``moving``, also advance the offsets of their segments."""
    with transaction(connection):
        fresh = filter_new(connection, batch)
        staged = store_records(connection, fresh)
        if staged:
            rebuild_runs(connection, {record.run for record in staged})
            rebuild_learnings(connection, touched_learnings(connection, staged))
        changed = {record.run for record in staged if isinstance(record.event, (TaskStarted, ConversationRewound))}
        store_pieces(connection, [turn for one in fresh for turn in one.turns], changed)
        add_usage(connection, [one.record for one in fresh])
        if moving:
            move_offsets(connection, [one.record for one in batch])


def touched_learnings(connection: "DuckDBPyConnection", staged: Sequence[Record]) -> set[str]:
    """Return the learnings that records refer to, or that come from a newly known run."""
    begun = {record.run for record in staged if isinstance(record.event, TaskStarted)}
    spoken = {record.event.learning.id for record in staged if isinstance(record.event, LearningSaved)}
    return spoken | (list_learnings(connection, begun) if begun else set())


def rebuild_runs(connection: "DuckDBPyConnection", runs: Collection[str]) -> None:
    """Rebuild these runs from all of their records, then their parent runs, whose costs include theirs."""
    views = [view for records in load_by_run(connection, runs).values() if (view := run_rows.build_run_view(records))]
    replace_runs(connection, runs, views)
    parents = find_parents(connection, runs)
    if parents:
        parts = load_by_run(connection, find_parts(connection, parents)).values()
        together = build_views(sort_records(chain.from_iterable(parts)))
        replace_runs(connection, parents, [together[run] for run in parents])


def replace_runs(connection: "DuckDBPyConnection", runs: Collection[str], views: Sequence[RunView]) -> None:
    """Replace the stored rows of these runs with those of the views."""
    forget_runs(connection, known_runs(connection, runs))
    insert_rows(connection, (row for view in views for row in run_rows.make_rows(view)))
    update_sessions(connection, {view.task.session for view in views})
    documents = [found for view in views if (found := document_of_task(view))]
    reindex(connection, [number(False, run) for run in runs], documents)


def find_parents(connection: "DuckDBPyConnection", runs: Collection[str]) -> list[str]:
    """Return the known runs with sub-tasks, among these runs and all of their parents."""
    return [str(run) for (run,) in connection.execute(PARENTS, [list(runs)]).fetchall()]


def find_parts(connection: "DuckDBPyConnection", runs: Collection[str]) -> list[str]:
    """Return these runs and all of their sub-tasks."""
    return [str(run) for (run,) in connection.execute(PARTS, [list(runs)]).fetchall()]


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
    delete_rows(connection, "iteration_cycles", "task_id", runs)
    for table in ("runs", "tasks", "memory_chunks"):
        delete_rows(connection, table, "id", runs)


def rebuild_learnings(connection: "DuckDBPyConnection", ids: Collection[str]) -> None:
    """Rebuild these learnings from all of their records."""
    if not ids:
        return
    saves = load_by_learning(connection, ids)
    homes = find_homes(connection, {record.run for records in saves.values() for record in records})
    projects = {run: home.project for run, home in homes.items()}
    delete_rows(connection, "learnings", "id", ids)
    insert_rows(connection, (make_learning_row(records, homes) for records in saves.values()))
    documents = [found for records in saves.values() if (found := document_of_learning(records, projects))]
    reindex(connection, [number(True, name) for name in ids], documents)


def find_homes(connection: "DuckDBPyConnection", runs: Collection[str]) -> dict[str, Home]:
    """Return the project and category of each known run."""
    statement = "SELECT id, project, category FROM runs WHERE id IN (SELECT unnest(?::VARCHAR[]))"
    return {row[0]: Home(*row) for row in connection.execute(statement, [list(runs)]).fetchall()}


def add_usage(connection: "DuckDBPyConnection", records: Sequence[Record]) -> None:
    """Store the users' actions, and the scores of the skills that were used."""
    used = [make_usage_row(record, record.event) for record in records if isinstance(record.event, UsageRecorded)]
    insert_rows(connection, used)
    if used or any(isinstance(record.event, (ConversationRewound, RunResumed)) for record in records):
        update_patterns(connection)
    if any(record.event.skills for record in records if isinstance(record.event, UsageRecorded)):
        update_effectiveness(connection)


def move_offsets(connection: "DuckDBPyConnection", records: Sequence[Record]) -> None:
    """Advance the offsets of the segments that the records were read from; they never decrease."""
    ends: dict[str, int] = {}
    for record in records:
        if record.segment:
            ends[record.segment] = max(record.end, ends.get(record.segment, 0))
    connection.execute(
        "INSERT INTO segments SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[]) "
        "ON CONFLICT DO UPDATE SET seen = excluded.seen WHERE excluded.seen > seen",
        [list(ends), list(ends.values())],
    )
