"""Test that files written by tests count neither as the model's work nor as judged work."""

from pathlib import Path

import pytest
from cli_process import Shell
from verdict_runs import DONE, EDIT, folder_with_test, judge_of, play, result, write_script_outside

WRITES = """\
import time
from pathlib import Path


def test_report() -> None:
    Path("report.txt").write_text(str(time.time_ns()))
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder whose tests write a file that differs with each run."""
    openkoi = folder_with_test(tmp_path)
    (openkoi.folder / "test_report.py").write_text(WRITES)
    return openkoi


def test_a_report_of_the_tests_is_no_change_of_the_model(openkoi: Shell) -> None:
    process = play(openkoi, DONE, "--no-judge")
    assert process.returncode == 3, process.stdout + process.stderr
    assert result(process)["changed_files"] == []


def test_a_call_that_changes_nothing_does_not_claim_the_report(openkoi: Shell) -> None:
    looks = """\
  - when: {after: 0}
    says: I will look.
    calls: [{tool: run_command, arguments: {command: "cat a.py"}}]
    usage: {input: 10, output: 10}
"""
    process = play(openkoi, looks + DONE, "--no-judge")
    assert process.returncode == 3, process.stdout + process.stderr
    assert result(process)["changed_files"] == []


def test_work_beside_the_report_lists_only_the_work(openkoi: Shell) -> None:
    process = play(openkoi, EDIT + DONE, "--no-judge")
    assert (0, ["a.py"]) == (process.returncode, result(process)["changed_files"]), process.stdout + process.stderr


SNAPSHOT = """\
from pathlib import Path

import a


def test_snapshot() -> None:
    kept = Path("a.snap")
    if a.x and not kept.exists():
        kept.write_text(f"{a.x - 1}")
    assert not a.x or kept.read_text() == str(a.x)
"""


def test_a_file_that_a_test_made_is_the_models_work_once_it_is_edited(openkoi: Shell) -> None:
    (openkoi.folder / "test_snapshot.py").write_text(SNAPSHOT)
    repair = """\
  - when: {last: "test_snapshot", tools: true}
    says: The snapshot is stale.
    calls: [{tool: write_file, arguments: {path: a.snap, content: "3", overwrite: true}}]
    usage: {input: 10, output: 10}
"""
    process = play(openkoi, EDIT + repair + DONE, "--no-judge")
    output = result(process)
    assert (0, ["a.py", "a.snap"]) == (process.returncode, output["changed_files"]), process.stdout + process.stderr


def test_the_report_of_the_tests_does_not_hinder_a_later_verdict(openkoi: Shell) -> None:
    first = play(openkoi, EDIT + DONE, judge="  - says: It is fine.\n    repeat: true\n")
    assert first.returncode == 3, first.stderr
    write_script_outside(openkoi, judge_of(0.95), "judge.yaml")
    again = openkoi("resume", "--format", "json")
    assert (0, 0.95, ["a.py"]) == (again.returncode, result(again)["score"], result(again)["changed_files"])


def test_the_report_of_the_tests_does_not_hinder_a_fork(openkoi: Shell) -> None:
    first = play(openkoi, EDIT + DONE, judge=judge_of(0.6))
    forked = openkoi(
        *("fork", str(result(first)["task_id"])[:8], "--at", "1"),
        *("--set", "iteration.quality_threshold=0.5", "--format", "json"),
    )
    assert (0, ["a.py"]) == (forked.returncode, result(forked)["changed_files"]), forked.stderr
