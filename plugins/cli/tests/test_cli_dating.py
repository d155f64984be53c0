"""When what was found was said: told by the log, of which few lines are read whole."""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

from openkoi_cli.archive.compress_log import archive_oldest
from openkoi_cli.archive.segments import Log
from openkoi_cli.log_times import find_times
from openkoi_hookspecs import Learning
from openkoi_hookspecs.events import LearningSaved
from openkoi_runlog import RunLog
from openkoi_testing.contracts.memory_log import run_records, talk_records

TIP = Learning("tip", "heuristic", "Guard the divisor.")


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Two sessions: a task with a talk and a learning, and one that saves the learning again."""
    talk = [record.event for record in talk_records("first", "The blue gateway was chosen for all invoices.")]
    for session, run, more in (("s1", "first", [*talk, LearningSaved(TIP)]), ("s2", "second", [LearningSaved(TIP)])):
        log = RunLog(tmp_path / "sessions", session, str)
        log.append(run, [*(record.event for record in run_records(run, "Mend the parser")), *more])
        log.close()
    return Log(tmp_path)


def lines_by_kind(log: Log) -> dict[str, list[dict[str, str]]]:
    """The lines of both sessions, by their kind."""
    lines = [json.loads(line) for path in sorted(log.sessions.iterdir()) for line in path.read_bytes().splitlines()]
    return {kind: [line for line in lines if line["type"] == kind] for kind in {line["type"] for line in lines}}


def test_a_task_is_of_when_it_began_and_so_is_what_was_said_in_it(log: Log) -> None:
    began, reply = lines_by_kind(log)["task_start"][0]["ts"], lines_by_kind(log)["model.response"][2]["id"]

    assert {"first": began, f"{reply}:0": began, "nobody": ""} == find_times(log, {"first", f"{reply}:0", "nobody"})
    assert {"first": began, "second": ""} == find_times(log, {"first", "second"}, {"s1"})


def test_a_learning_is_of_when_it_was_last_saved(log: Log) -> None:
    assert {"tip": lines_by_kind(log)["learning.saved"][-1]["ts"]} == find_times(log, {"tip"})


def test_the_id_of_a_learning_may_have_a_colon(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "sessions", "s", str)
    log.append(
        "run", [*(record.event for record in run_records("run", "Mend it")), LearningSaved(replace(TIP, id="a:b"))]
    )
    log.close()

    assert {"a:b": lines_by_kind(Log(tmp_path))["learning.saved"][0]["ts"]} == find_times(Log(tmp_path), {"a:b"})


def test_an_archived_session_tells_the_same(log: Log) -> None:
    before = find_times(log, {"first", "second", "tip"})

    assert ["s1.jsonl"] == archive_oldest(log, 1)
    assert before == find_times(log, {"first", "second", "tip"})


def test_of_a_long_session_only_the_lines_of_what_is_asked_for_are_looked_at(tmp_path: Path) -> None:
    log, size = RunLog(tmp_path / "sessions", "long", str), 2_000
    for number in range(size):
        log.append(f"run{number}", [record.event for record in run_records("run", "Mend it")], sync=False)
    log.close()
    calls = Counter[str]()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[frame.f_code.co_name] += 1

    sys.setprofile(count)
    try:
        found = find_times(Log(tmp_path), {"run7", "run1999", "run1"})
    finally:
        sys.setprofile(None)
    assert all(found.values())
    assert calls["parse_head"] < size / 20


def test_what_a_name_begins_with_is_another_name(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "sessions", "s", str)
    for run in ("run", "run2", "2run"):
        log.append(run, [record.event for record in run_records(run, f'Mend "{run}2" and "run"')])
    log.close()
    begun = {line["run"]: line["ts"] for line in lines_by_kind(Log(tmp_path))["task_start"]}

    for run, began in begun.items():
        assert {run: began} == find_times(Log(tmp_path), {run})


def test_a_damaged_line_is_not_believed(log: Log) -> None:
    path = log.sessions / "s1.jsonl"
    path.write_bytes(path.read_bytes().replace(b'{"ts":"2', b'{"ts":"1', 1))

    assert {"first": ""} == find_times(log, {"first"})
