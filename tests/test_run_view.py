"""What is computed from the records of a run is what the run itself returned, in every reader, whatever happened."""

import asyncio
import json
import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from run_histories import History, fork_last, play_history

from openkoi_base.files.diffs import changed_files
from openkoi_base.redact import Redactor
from openkoi_certify.outcomes import RunOutcome
from openkoi_checkpoints import CheckpointStore
from openkoi_cli.archive.tables import build_tables
from openkoi_duckdb.run_rows import make_cycle_row, make_finding_row, make_task_row
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Cost, Iteration, NextAction, Result, RunState
from openkoi_learning.log_view import LearningLogView
from openkoi_runlog import VIEW_EVENTS, RunLog, RunView, build_view, sort_records, summarize_runs
from openkoi_runlog.report import build_cycle_tree, build_report
from openkoi_search.documents import documents_of_run, text_of_task
from openkoi_sqlite import SQLite

SESSION = "20260101T000000-00000000000"
SEEDS = [*range(20), 37, *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(20, 500) if seed != 37)]


@pytest.fixture(scope="module", params=SEEDS)
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> History:
    return play_history(request.param, tmp_path_factory.mktemp("history"))


def plain(iterations: Iterable[Iteration]) -> list[Iteration]:
    """Iterations without clocks."""
    return [replace(one, cost=Cost(tokens=one.cost.tokens, usd=one.cost.usd)) for one in iterations]


def test_every_reader_tells_what_the_run_returned(history: History, tmp_path: Path) -> None:
    live, view = history.result, build_view(history.records, history.run)
    result = view.result

    assert result is not None
    assert plain(live.iterations) == plain(result.iterations)
    assert plain([live.best]) == plain([result.best])
    assert (live.decision, live.task.text) == (result.decision, result.task.text)
    assert (live.cost.tokens, live.cost.calls) == (result.cost.tokens, result.cost.calls)

    score, decision = score_of(live.best), str(live.decision.action)
    report = build_report(history.records, history.run)
    assert (live.accepted, score, live.text) == (report.is_accepted, report.score, report.text)
    assert len(live.iterations) == len(report.iterations)
    tree = build_cycle_tree(history.records, history.run)
    attempts = {one.number: one.iteration for one in tree.attempts if one.iteration.decision}
    assert plain(live.iterations) == plain(one.iteration for one in attempts.values() if one.iteration)
    assert tree.outcome == f"{live.decision.action}: {live.decision.reason}"
    assert tree.costs.tokens == live.cost.tokens == report.costs.tokens
    (exported,) = (row for row in build_tables(history.records).tasks if row.id == history.run)
    assert (decision, score, len(live.iterations)) == (exported.decision, exported.score, exported.iterations)
    kept, scores = make_task_row(view), [make_cycle_row(view.run, one).score for one in view.iterations]
    assert (decision, score, len(live.iterations)) == (kept.decision, kept.final_score, kept.iterations)
    assert [score_of(one) for one in live.iterations] == scores
    remembered, *_ = documents_of_run(build_view(sort_records(history.records)), history.records)
    assert score is None or f"{score:.2f}" in remembered.memo.text
    course = RunOutcome()
    for record in history.records:
        course.add_record(record)
    assert (bool(live.accepted), live.task.text) == (course.is_accepted, course.view.task.text)
    learned = result_from_log(history, tmp_path / "sessions")
    (summary,) = summarize_runs([SESSION], tmp_path / "sessions", lambda run: False)
    state = RunState.WAITING if live.decision.action is NextAction.ESCALATE else RunState.FINISHED
    assert (history.run, live.task.text, state, score) == (summary.id, summary.text, summary.state, summary.score)
    assert learned is not None
    assert plain(live.iterations) == plain(learned.iterations)


def test_the_files_are_at_the_checkpoint_of_the_view(history: History) -> None:
    """Unless records of what was done are missing."""
    if history.lost:
        return
    files = build_view(history.records, history.run).checkpoints

    if files.current:
        store = CheckpointStore(folder=history.workspace.parent / "home" / "data" / "checkpoints")
        diff = asyncio.run(store.diff(history.workspace, files.current))
        assert () == changed_files(diff)


@pytest.mark.parametrize("at", [0, 1])
def test_a_run_can_be_forked_where_its_best_iteration_had_changed_nothing(at: int, tmp_path: Path) -> None:
    history = play_history(33, tmp_path)

    forked = fork_last(history, at=at)

    assert (0, at + 1) == (history.result.iterations.index(history.result.best), len(forked.iterations))


def score_of(iteration: Iteration) -> float | None:
    return iteration.evaluation.score if iteration.evaluation else None


def result_from_log(history: History, folder: Path) -> Result | None:
    """Return the result as the learner reads it from a log of its own."""
    log = RunLog(folder, SESSION, Redactor())
    for record in history.records:
        log.append(record.run, [record.event])
    log.close()
    return LearningLogView(folder).rebuild_result(history.run, "")


def test_the_memories_tell_of_a_run_what_its_view_does(history: History, tmp_path: Path) -> None:
    """They rebuild it from what they keep of each record, in the order in which they come to know it."""
    view = build_view(sort_records(history.records), history.run)
    records = list(history.records)
    random.Random(history.run).shuffle(records)
    duckdb, sqlite = TableMemory(path=tmp_path / "openkoi.db"), SQLite(path=tmp_path / "openkoi.sqlite")
    for memory in (duckdb, sqlite):
        asyncio.run(memory.ingest(records[::2]))
        asyncio.run(memory.ingest(records[1::2]))

    def stored(table: str, key: str) -> list[tuple[object, ...]]:
        statement = f"SELECT * FROM {table} WHERE {key} = ? ORDER BY ALL"
        return duckdb.file.read(lambda connection: connection.execute(statement, [history.run]).fetchall()) or []

    with closing(sqlite3.connect(sqlite.path)) as connection:
        documents = connection.execute("SELECT memo FROM documents WHERE kind = 'task'").fetchall()
    assert [astuple(make_task_row(view))] == stored("tasks", "id")
    assert [astuple(make_cycle_row(view.run, one)) for one in view.iterations] == stored("iteration_cycles", "task_id")
    assert sorted(astuple(make_finding_row(view.run, one)) for one in view.findings) == duckdb.file.read(
        lambda one: one.execute("SELECT * FROM findings ORDER BY id").fetchall()
    )
    assert [text_of_task(view)] == [json.loads(memo)["text"] for (memo,) in documents]


def test_a_view_goes_on_where_it_stopped(history: History) -> None:
    place = random.Random(history.run).randint(0, len(history.records))
    whole, part = RunView(), RunView()
    for record in history.records:
        whole.take(record)
    for record in history.records[:place]:
        part.take(record)
    for property in ("iterations", "best", "findings", "used"):
        getattr(part, property)
    for record in history.records[place:]:
        part.take(record)

    assert whole == part


def test_a_view_reads_no_other_events_than_it_names(history: History) -> None:
    """So that a memory or a list that selects these has all that a run's facts are computed from."""
    whole = build_view(history.records, history.run)
    selected = build_view([one for one in history.records if isinstance(one.event, VIEW_EVENTS)], history.run)

    assert replace(whole, updated="") == replace(selected, updated="")
