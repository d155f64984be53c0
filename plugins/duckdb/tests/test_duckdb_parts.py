"""Test that a sub-task's costs count for its parents in every table, in any order of records."""

import asyncio
import random
from dataclasses import astuple
from itertools import chain
from pathlib import Path

import pytest

from openkoi_duckdb.run_rows import make_cycle_row, make_run_row, make_task_row
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import ExecutionResult, Plan, Record, Task, events
from openkoi_runlog import build_views, sort_records
from openkoi_testing.contracts.memory_log import paid_response, records_of

WHOLE_BEFORE = [events.PlanReady(Plan()), paid_response(100, 10)]


def part(run: str, parent: str, *, start: float) -> list[Record]:
    """Return a run that was interrupted after one paid call."""
    event = events.TaskStarted(Task("Look", session="s1", parent=parent), model="acme/large")
    return records_of(run, [event, *WHOLE_BEFORE, events.ExecutionFinished(ExecutionResult("a draft"))], start=start)


RECORDS = [*part("whole", "", start=0), *part("half", "whole", start=10), *part("quarter", "half", start=20)]


@pytest.mark.parametrize("seed", range(8))
def test_the_runs_that_a_task_is_a_part_of_pay_for_its_calls(seed: int, tmp_path: Path) -> None:
    views = build_views(sort_records(RECORDS))
    order = random.Random(seed)
    shuffled = order.sample(RECORDS, len(RECORDS))
    memory = TableMemory(path=tmp_path / "openkoi.db")
    while shuffled:
        size = order.randint(1, len(shuffled))
        asyncio.run(memory.ingest(shuffled[:size]))
        shuffled = shuffled[size:]

    def stored(statement: str) -> list[tuple[object, ...]]:
        return memory.file.read(lambda connection: connection.execute(statement).fetchall()) or []

    cycles = chain.from_iterable([make_cycle_row(one.run, it) for it in one.iterations] for one in views.values())
    assert [330, 220, 110] == [view.used.tokens for view in views.values()]
    assert sorted(astuple(make_run_row(view)) for view in views.values()) == sorted(stored("FROM runs"))
    assert sorted(astuple(make_task_row(view)) for view in views.values()) == sorted(stored("FROM tasks"))
    assert sorted(map(astuple, cycles)) == sorted(stored("FROM iteration_cycles"))
    assert [(330, 0.03)] == stored("SELECT total_tokens, total_cost_usd FROM sessions")
