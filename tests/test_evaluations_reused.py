"""An iteration whose evaluation is reused, because nothing changed, shows and logs that evaluation again."""

from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, logged_records
from memory_tables import query_tables
from verdict_runs import DONE, EDIT, TASK, WAITING, folder_with_test, judge_of, result, write_script_outside

RED = WAITING.replace("== 3", "== 4")
SAME_TWICE = EDIT + DONE


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with a file and a passing test, and a home without memory of anything."""
    return folder_with_test(tmp_path)


def records_of_kind(openkoi: Shell, kind: str) -> list[dict[str, Any]]:
    """Return the data of each record of a kind."""
    return [line["data"] for line in logged_records(openkoi.home) if line["type"] == kind]


def models(openkoi: Shell, score: float) -> tuple[str, ...]:
    judge = write_script_outside(openkoi, judge_of(score, finding="too short"), "judge.yaml")
    return "--executor", write_script_outside(openkoi, SAME_TWICE, "executor.yaml"), "--evaluator", judge


@pytest.mark.parametrize("score", [0.3, 0.5, 0.75])
def test_a_reused_score_is_shown_and_logged_with_its_findings(openkoi: Shell, score: float) -> None:
    result = openkoi(TASK, *models(openkoi, score))

    text = f"score: {score:.2f} (correctness: {score:.2f}"
    assert f"[iter 1/3] {text})\n  ! too short\n  All tests pass\n" in result.stderr
    assert f"[iter 2/3] {text}, eval: cached)\n  ! too short\n  All tests pass\n" in result.stderr
    first, second = (one["evaluation"] for one in records_of_kind(openkoi, "evaluation"))
    assert {**first, "mode": "cached"} == second
    assert [pytest.approx(score)] * 2 == [one["score"] for one in records_of_kind(openkoi, "iteration")]
    assert result.stderr.startswith(openkoi("replay").stderr.rstrip())  # after it: tokens saved, and used for learning


def test_every_view_of_a_reused_score_agrees(openkoi: Shell) -> None:
    output = result(openkoi(TASK, *models(openkoi, 0.5), "--format", "json"))
    why = openkoi("status", "--why").stdout
    stored = query_tables(openkoi.home / "data", "select iteration, score, decision from iteration_cycles order by 1")
    resolved = query_tables(openkoi.home / "data", "select title, resolved_in from findings")

    iterations: Any = output["iterations"]
    assert [("full", 0.5), ("cached", 0.5)] == [(one["eval_mode"], one["score"]) for one in iterations]
    assert 2 == why.count("score     0.50; it is below 0.80")
    assert "unchanged since the last iteration; reused its score" in why
    assert [(0, 0.5, "continue"), (1, 0.5, "accept_best")] == stored
    assert [("too short", None)] == resolved


def test_without_a_judge_a_reused_evaluation_shows_its_checks(openkoi: Shell) -> None:
    (openkoi.folder / "test_x.py").write_text(RED)
    result = openkoi(TASK, *models(openkoi, 0.5)[:2], "--no-judge", "--category", "bugfix")

    assert "[iter 1/3] not judged\n" in result.stderr
    assert "[iter 2/3] not judged (eval: cached)\n" in result.stderr
    assert 2 == result.stderr.count("1 of 3 checks fail")
