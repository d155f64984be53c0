"""What a run that was killed had changed is undone, what the user did after that stays."""

from pathlib import Path

import pytest
from cli_process import Shell
from verdict_runs import DONE, EDIT, folder_with_test, write_script_outside

IDLE = "  - when: {after: 0}\n    calls: [{tool: run_command, arguments: {command: 'true'}}]\n"
DEATH = """
import os
from openkoi_hookspecs import hookimpl

@hookimpl(trylast=True)
def on_event(event):
    if event.name == "EVENT":
        os._exit(9)
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return folder_with_test(tmp_path)


def edit_in_task(openkoi: Shell) -> str:
    """Let a task edit a file; return its id."""
    done = openkoi("Edit it", "--executor", write_script_outside(openkoi, EDIT + DONE), "--no-judge", "-i", "0")
    assert 0 == done.returncode, done.stderr
    return last_id(openkoi)


def kill_at_event(openkoi: Shell, turns: str, event: str = "tool_result") -> str:
    """Let a task be killed at an event; return its id."""
    dies = openkoi.with_plugin(DEATH.replace("EVENT", event), hooks="acme")
    done = dies.cold("Look at it", "--executor", write_script_outside(openkoi, turns + DONE), "--no-judge", "-i", "0")
    assert 9 == done.returncode, done.stderr
    return last_id(openkoi)


def last_id(openkoi: Shell) -> str:
    return openkoi("status").stdout.split("Last tasks:")[1].split()[2]


@pytest.mark.parametrize("event", ["tool_result", "work"])
def test_what_the_user_does_after_a_run_was_killed_stays(openkoi: Shell, event: str) -> None:
    """It is killed after a call, or after its work was kept."""
    kill_at_event(openkoi, EDIT, event)
    (openkoi.folder / "mine.txt").write_text("mine\n")
    undone = openkoi("undo")

    assert (0, "x = 0\n") == (undone.returncode, (openkoi.folder / "a.py").read_text()), undone.stderr
    assert (openkoi.folder / "mine.txt").exists(), undone.stdout


@pytest.mark.parametrize("meanwhile", ["nothing", "an edit by the user"])
def test_undo_passes_over_a_task_that_was_killed_before_it_changed_anything(openkoi: Shell, meanwhile: str) -> None:
    first = edit_in_task(openkoi)
    second = kill_at_event(openkoi, IDLE)
    if meanwhile != "nothing":
        (openkoi.folder / "mine.txt").write_text("mine\n")
    undone = openkoi("undo")

    assert (0, "x = 0\n") == (undone.returncode, (openkoi.folder / "a.py").read_text()), undone.stderr
    assert f"  ! Task {second} ended before it changed a file, so it is passed over." in undone.stderr.splitlines()
    assert f"Undid task {first}: Edit it" in undone.stdout.splitlines()


def test_undo_says_that_the_only_task_ended_before_it_changed_anything(openkoi: Shell) -> None:
    id = kill_at_event(openkoi, IDLE)
    undone, again, named = openkoi("undo"), openkoi("undo"), openkoi("undo", id)

    assert [0, 1, 1] == [one.returncode for one in (undone, again, named)], undone.stderr
    assert "It ended before it changed a file." in undone.stdout.splitlines()
    assert "No task changed files" in again.stderr
    assert f"Task {id} changed no file" in named.stderr
