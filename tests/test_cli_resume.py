"""Test that a killed task, or one waiting for approval, is resumed from the command line."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
WRITE = "  - when: {after: 0}\n    calls: [{tool: write_file, arguments: {path: a.txt, content: one}}]\n"
SLOW = WRITE + '  - when: {after: 1}\n    says: "Done."\n    delay: 60\n'
QUICK = WRITE + '  - when: {after: 1}\n    says: "Done."\n'


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


def write_script_outside(openkoi: Shell, turns: str) -> str:
    """Write a script outside the workspace; return the model that plays it."""
    write_script(openkoi.folder.parent, turns)
    return f"scripted/{openkoi.folder.parent / 'script.yaml'}"


def kill_during_task(openkoi: Shell) -> str:
    """Begin a task, and kill it while it waits for the second answer."""
    model = write_script_outside(openkoi, SLOW)
    child = openkoi.started("-m", model, "-i", "0", "Write one into a.txt")
    until = time.monotonic() + 30
    while time.monotonic() < until and not (openkoi.folder / "a.txt").exists():
        time.sleep(0.05)
    time.sleep(0.5)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=20)
    return model


@pytest.mark.row("FLOW-10")
def test_a_killed_task_goes_on_where_it_was(openkoi: Shell) -> None:
    model = kill_during_task(openkoi)
    (openkoi.folder / "a.txt").write_text("one, and a person's word")
    write_script_outside(openkoi, QUICK)
    process = openkoi("resume", "-m", model, "--format", "json")
    result = json.loads(process.stdout)

    assert (0, "Done.", ["a.txt"]) == (process.returncode, result["output"], result["changed_files"]), process.stderr
    assert "[resume]" in process.stderr
    assert "one, and a person's word" == (openkoi.folder / "a.txt").read_text()
    again = openkoi("resume")
    assert (1, True) == (again.returncode, "No interrupted task to resume" in again.stderr)
    shown = openkoi("replay", result["task_id"][:8])
    assert (0, "Done.\n") == (shown.returncode, shown.stdout)
    refused = openkoi("resume", result["task_id"][:8])
    assert (1, True) == (refused.returncode, "has ended (accept)" in refused.stderr)


def test_where_nothing_was_begun_there_is_nothing_to_go_on_with(openkoi: Shell) -> None:
    result = openkoi("resume")

    assert (1, "") == (result.returncode, result.stdout)
    assert "No interrupted task to resume" in result.stderr


def test_what_a_killed_task_did_is_taken_back_and_taken_up_again(openkoi: Shell) -> None:
    (openkoi.folder / "kept.txt").write_text("kept")
    kill_during_task(openkoi)
    undone = openkoi("undo")
    there = sorted(path.name for path in openkoi.folder.iterdir())
    redone = openkoi("redo")

    assert (0, ["kept.txt"]) == (undone.returncode, there), undone.stderr
    assert (0, "one") == (redone.returncode, (openkoi.folder / "a.txt").read_text()), redone.stderr
