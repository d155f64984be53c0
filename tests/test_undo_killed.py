"""Test that changes of a killed run are undone, and later changes by the user stay."""

import json
import os
import time
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
    result = openkoi("Edit it", "--executor", write_script_outside(openkoi, EDIT + DONE), "--no-judge", "-i", "0")
    assert 0 == result.returncode, result.stderr
    return last_id(openkoi)


def kill_at_event(openkoi: Shell, turns: str, event: str = "tool_result") -> str:
    """Let a task be killed at an event; return its id."""
    dies = openkoi.with_plugin(DEATH.replace("EVENT", event), hooks="acme")
    result = dies.cold("Look at it", "--executor", write_script_outside(openkoi, turns + DONE), "--no-judge", "-i", "0")
    assert 9 == result.returncode, result.stderr
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
    assert f"  ! Skipped task {second}, which ended before it changed a file." in undone.stderr.splitlines()
    assert f"Undid task {first}: Edit it" in undone.stdout.splitlines()


def test_undo_says_that_the_only_task_ended_before_it_changed_anything(openkoi: Shell) -> None:
    id = kill_at_event(openkoi, IDLE)
    undone, again, named = openkoi("undo"), openkoi("undo"), openkoi("undo", id)

    assert [0, 1, 1] == [one.returncode for one in (undone, again, named)], undone.stderr
    assert "The task ended before it changed a file." in undone.stdout.splitlines()
    assert "No task changed files" in again.stderr
    assert f"Task {id} changed no file" in named.stderr


def kill_during_command(openkoi: Shell, line: str) -> None:
    """Let a task be killed during a command, once it has made ``made/started``."""
    arguments = {"command": f"{line}; mkdir made; touch made/started; sleep 60"}
    call = json.dumps({"tool": "run_command", "arguments": arguments})
    model = write_script_outside(openkoi, f"  - when: {{after: 0}}\n    calls: [{call}]\n{DONE}")
    running = openkoi.started("Run it", "--executor", model, "--no-judge", "-i", "0")
    wait_for(openkoi.folder / "made" / "started")
    running.kill()
    running.communicate(timeout=10)
    time.sleep(0.05)


def wait_for(path: Path) -> None:
    """Wait until a file exists."""
    late = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < late, f"{path} was never made"
        time.sleep(0.01)


def test_files_made_after_a_run_was_killed_in_a_command_are_kept_and_named(openkoi: Shell) -> None:
    kill_during_command(openkoi, "echo theirs > by_task.txt; echo x = 3 > a.py")
    (openkoi.folder / "mine.txt").write_text("mine\n")
    (openkoi.folder / "made" / "mine.txt").write_text("mine\n")
    (openkoi.folder / "empty").mkdir()
    undone = openkoi("undo")

    assert (0, "x = 0\n") == (undone.returncode, (openkoi.folder / "a.py").read_text()), undone.stderr
    assert ["a.py", "empty", "made/mine.txt", "mine.txt", "test_there.py"] == leaves(openkoi.folder)
    assert ["made/mine.txt", "mine.txt"] == kept(undone.stderr)


def test_an_edit_and_an_old_file_moved_in_after_the_kill_are_kept(openkoi: Shell) -> None:
    old = openkoi.folder.parent / "old.txt"
    old.write_text("old\n")
    os.utime(old, (1, 1))
    kill_during_command(openkoi, "echo x = 3 > a.py")
    old.rename(openkoi.folder / "old.txt")
    (openkoi.folder / "test_there.py").write_text("mine = 1\n")
    undone = openkoi("undo")

    assert (0, "x = 0\n") == (undone.returncode, (openkoi.folder / "a.py").read_text()), undone.stderr
    assert "mine = 1\n" == (openkoi.folder / "test_there.py").read_text()
    assert ["old.txt", "test_there.py"] == kept(undone.stderr)


def test_files_made_between_the_kill_and_the_resume_are_kept(openkoi: Shell) -> None:
    kill_during_command(openkoi, "echo x = 3 > a.py")
    (openkoi.folder / "mine.txt").write_text("mine\n")
    resumed = openkoi("resume")
    undone = openkoi("undo")

    assert (0, "x = 0\n") == (undone.returncode, (openkoi.folder / "a.py").read_text()), resumed.stderr + undone.stderr
    assert (openkoi.folder / "mine.txt").exists(), undone.stderr


def test_a_file_that_the_killed_command_and_the_user_changed_in_turn_is_kept(openkoi: Shell) -> None:
    kill_during_command(openkoi, "echo x = 3 > a.py")
    (openkoi.folder / "a.py").write_text("x = 3\ny = 1\n")
    undone = openkoi("undo")

    assert "x = 3\ny = 1\n" == (openkoi.folder / "a.py").read_text(), undone.stderr
    assert ["a.py"] == kept(undone.stderr)


def kept(text: str) -> list[str]:
    """Return the files that undo names as kept."""
    return [line.split()[1] for line in text.splitlines() if "  kept: " in line]


def leaves(folder: Path) -> list[str]:
    """Return all files and empty folders, except caches."""
    found = (path for path in folder.rglob("*") if path.is_file() or not any(path.iterdir()))
    return sorted(path.relative_to(folder).as_posix() for path in found if "cache" not in str(path))
