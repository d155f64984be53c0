"""Test that the tables contain every iteration of every run: of tasks, sub-tasks, forks and resumed runs."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import (
    Cost,
    Decision,
    Evaluation,
    Event,
    ExecutionResult,
    NextAction,
    Plan,
    Record,
    StopReason,
    Task,
    Usage,
)
from openkoi_hookspecs.events import (
    DecisionMade,
    EvaluationFinished,
    ExecutionFinished,
    IterationFinished,
    PlanReady,
    RunCompleted,
    RunFailed,
    RunForked,
    TaskStarted,
)
from openkoi_runlog import IterationView, build_view, find_fork_point, rename_runs, subtask_id
from openkoi_testing.contracts.memory_log import paid_response, records_of, run_records, timestamp

if TYPE_CHECKING:
    pass

RUN = run_records("r1", "Mend the parser", session="s1")
WHOLE = """
SELECT id, task_id, iteration, phase, output, evaluation, decision, input_tokens, output_tokens, duration_ms
FROM iteration_cycles JOIN cycle_outcomes USING (id) ORDER BY task_id, iteration
"""


def cycles(folder: Path, *batches: Sequence[Record]) -> list[tuple[object, ...]]:
    """Ingest records, then query everything about iterations."""
    memory = TableMemory(path=folder / "openkoi.db")
    for batch in batches:
        asyncio.run(memory.ingest(batch))
    return memory.file.read(lambda connection: connection.execute(WHOLE).fetchall()) or []


def judged(number: int, decision: NextAction, seconds: float = 1.0) -> list[Event]:
    """How an iteration ends."""
    return [
        IterationFinished(number, 0.5, Cost(seconds=seconds)),
        DecisionMade(number, Decision(decision, "so"), Cost()),
    ]


def read(*happened: Event) -> Sequence[IterationView]:
    return build_view(records_of("r1", [TaskStarted(Task("Mend")), PlanReady(Plan()), *happened])).iterations


@pytest.mark.row("ITER-07", "ITER-08", "ITER-15")
def test_an_iteration_is_kept_with_all_that_came_of_it(tmp_path: Path) -> None:
    first, second = cycles(tmp_path, RUN)

    assert ("r1:0", "r1", 0, "complete", "a draft") == first[:5]
    assert ("continue", 100, 50, 2000) == first[6:]
    assert ("r1:1", "r1", 1, "complete", "done") == second[:5]
    assert ("accept", 120, 60, 3000) == second[6:]
    assert ["Division by zero", "No test for the empty list"] == [
        finding["title"] for finding in json.loads(str(first[5]))["findings"]
    ]
    assert 0.9 == json.loads(str(second[5]))["scores"][0]["value"]


def test_long_words_are_kept_by_their_beginning(tmp_path: Path) -> None:
    records = records_of(
        "r1",
        [TaskStarted(Task("Mend")), ExecutionFinished(ExecutionResult("x" * 9_000)), *judged(0, NextAction.ACCEPT)],
    )

    assert ["x" * 3_999 + "…"] == [row[4] for row in cycles(tmp_path, records)]


@pytest.mark.row("ITER-08")
@pytest.mark.parametrize(
    ("happened", "phase"),
    [
        ([paid_response(1, 1)], "execute"),
        ([paid_response(1, 1), RunFailed("interrupted")], "execute"),
        ([paid_response(1, 1), ExecutionFinished(ExecutionResult("x"))], "evaluate"),
        (
            [
                ExecutionFinished(ExecutionResult("x")),
                EvaluationFinished(Evaluation()),
                IterationFinished(0, 0.5, Cost()),
            ],
            "evaluate",
        ),
        ([ExecutionFinished(ExecutionResult("x")), *judged(0, NextAction.ACCEPT)], "complete"),
        ([ExecutionFinished(ExecutionResult("x")), *judged(0, NextAction.ABORT_BUDGET)], "abort"),
    ],
)
def test_an_iteration_tells_how_far_it_came(happened: list[Event], phase: str) -> None:
    assert [(0, phase)] == [(one.number, one.phase) for one in read(*happened)]


def test_a_plan_that_is_asked_for_is_told_before_there_is_work() -> None:
    (one,) = build_view(records_of("r1", [TaskStarted(Task("Mend")), paid_response(1, 1)])).iterations

    assert ("plan", False) == (one.phase, one.ended)


@pytest.mark.row("ITER-15")
def test_a_run_that_was_killed_keeps_the_iteration_that_it_was_in(tmp_path: Path) -> None:
    killed = [*RUN[:7], replace(RUN[7], event=paid_response(7, 3))]

    assert [("r1:1", 1, "execute", "", 7, 3, None)] == [
        (row[0], row[2], row[3], row[6], *row[7:]) for row in cycles(tmp_path, killed)[1:]
    ]


def test_what_is_learned_is_no_iteration() -> None:
    assert [0, 1] == [
        one.number for one in build_view([*RUN, *records_of("r1", [paid_response(9, 9)], start=100)]).iterations
    ]


@pytest.mark.row("ITER-15")
def test_a_run_that_was_gone_on_with_is_kept_as_if_it_had_not_been_interrupted(tmp_path: Path) -> None:
    before, after = RUN[:8], RUN[8:]

    assert cycles(tmp_path / "whole", RUN) == cycles(tmp_path / "halves", after, before)
    assert cycles(tmp_path / "whole") == cycles(tmp_path / "halves")


@pytest.mark.row("LOOP-19", "ITER-15")
def test_an_iteration_that_waited_for_a_person_is_one_and_paid_for_as_a_whole() -> None:
    waited = [
        paid_response(10, 1),
        ExecutionFinished(ExecutionResult("may I?", ended=StopReason.PERSON)),
        *judged(0, NextAction.ESCALATE),
    ]
    over = RunCompleted(Decision(NextAction.ESCALATE, "so"), Cost())
    half = [*waited, over, paid_response(20, 2)]
    (open,) = read(*half, ExecutionFinished(ExecutionResult("on it")))
    (whole,) = read(*half, ExecutionFinished(ExecutionResult("done")), *judged(0, NextAction.ACCEPT, 3.0))

    assert (0, "evaluate", False, "on it") == (open.number, open.phase, open.ended, open.work and open.work.text)
    decision = whole.decision and whole.decision.action
    assert (0, "complete", "accept", 3.0) == (whole.number, whole.phase, decision, whole.cost.seconds)
    assert Usage(input=30, output=3) == whole.usage


@pytest.mark.row("ITER-15", "ITER-21")
def test_parts_of_a_task_have_iterations_of_their_own(tmp_path: Path) -> None:
    part = [paid_response(5, 5), ExecutionFinished(ExecutionResult("part")), *judged(0, NextAction.ACCEPT)]
    records = records_of("r2", [TaskStarted(Task("A part", parent="r1")), *part], start=1.5)

    assert [("r1:0", 105), ("r1:1", 120), ("r2:0", 5)] == [
        (row[0], row[7]) for row in cycles(tmp_path, [*RUN[:2], *records, *RUN[2:]])
    ]


@pytest.mark.row("ITER-15")
def test_a_fork_has_the_iterations_of_its_past_and_its_own(tmp_path: Path) -> None:
    part = records_of(
        "p1",
        [
            TaskStarted(Task("A part", parent="r1")),
            ExecutionFinished(ExecutionResult("part")),
            *judged(0, NextAction.ACCEPT),
        ],
    )
    past = find_fork_point([*RUN[:2], *part, *RUN[2:]], "r1", 1)
    copied = list(rename_runs(past, "f1", past.task))
    happened = [("f1", RunForked("r1", 1, {})), *copied, *(("f1", event) for event in own_way())]
    fork = [Record(f"fork-{n}", timestamp(900 + n), run, event) for n, (run, event) in enumerate(happened)]
    told_of = {str(row[0]): row[2:] for row in cycles(tmp_path, RUN, fork)}

    assert {"f1:0", "f1:1", "r1:0", "r1:1", f"{subtask_id('f1', 0)}:0"} == set(told_of)
    assert told_of["r1:0"] == told_of["f1:0"]
    assert (1, "abort", "another way", None, "abort_budget", 8, 2, 4000) == told_of["f1:1"]


def own_way() -> list[Event]:
    """The fork's further work."""
    return [
        paid_response(8, 2),
        ExecutionFinished(ExecutionResult("another way")),
        *judged(1, NextAction.ABORT_BUDGET, 4.0),
    ]
