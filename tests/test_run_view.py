"""What is computed from the records of a run is what the run itself returned, in every reader, whatever happened."""

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from run_histories import History, play_history

from openkoi_base.redact import Redactor
from openkoi_certify.outcomes import RunOutcome
from openkoi_cli.archive import build_tables
from openkoi_duckdb.run_rows import make_cycle_row, make_task_row
from openkoi_hookspecs import Cost, Iteration, NextAction, Result, RunState
from openkoi_learning.log_view import LearningLogView
from openkoi_report import build_cycle_tree, build_report
from openkoi_runlog import RunLog, RunView, build_view, sort_records, summarize_runs
from openkoi_search.documents import documents_of_run

SESSION = "20260101T000000-00000000000"
SEEDS = [*range(20), *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(20, 500))]


@pytest.fixture(scope="module", params=SEEDS)
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> History:
    return play_history(request.param, tmp_path_factory.mktemp("history"))


def plain(iterations: Iterable[Iteration]) -> list[Iteration]:
    """Iterations without clocks."""
    return [replace(one, cost=Cost(tokens=one.cost.tokens, usd=one.cost.usd)) for one in iterations]


def test_every_reader_tells_what_the_run_returned(history: History, tmp_path: Path) -> None:
    live, view = history.result, build_view(history.records, history.run)
    read = view.result

    assert read is not None
    assert plain(live.iterations) == plain(read.iterations)
    assert plain([live.best]) == plain([read.best])
    assert (live.decision, live.task.text) == (read.decision, read.task.text)
    assert (live.cost.tokens, live.cost.calls) == (read.cost.tokens, read.cost.calls)

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
    kept, cycles = make_task_row(view), [make_cycle_row(view.run, one) for one in view.iterations]
    assert (decision, score, len(live.iterations)) == (kept.decision, kept.final_score, kept.iterations)
    assert [one.evaluation.score if one.evaluation else None for one in live.iterations] == [
        row.score for row in cycles
    ]
    remembered, *_ = documents_of_run(build_view(sort_records(history.records)), history.records)
    assert score is None or f"{score:.2f}" in remembered.memo.text
    course = RunOutcome()
    for record in history.records:
        course.add_record(record)
    assert (bool(live.accepted), live.task.text) == (course.is_accepted, course.view.task.text)
    learned = result_from_log(history, tmp_path / "sessions")
    (listed,) = summarize_runs([SESSION], tmp_path / "sessions", lambda run: False)
    state = RunState.WAITING if live.decision.action is NextAction.ESCALATE else RunState.FINISHED
    assert (history.run, live.task.text, state, score) == (listed.id, listed.text, listed.state, listed.score)
    assert learned is not None
    assert plain(live.iterations) == plain(learned.iterations)


def score_of(iteration: Iteration) -> float | None:
    return iteration.evaluation.score if iteration.evaluation else None


def result_from_log(history: History, folder: Path) -> Result | None:
    """Return the result as the learner reads it from a log of its own."""
    log = RunLog(folder, SESSION, Redactor())
    for record in history.records:
        log.append(record.run, [record.event])
    log.close()
    return LearningLogView(folder).rebuild_result(history.run, "")


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
