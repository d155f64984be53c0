"""Where there is nothing to undo or to reapply, the message says why."""

import subprocess
from pathlib import Path

import pytest
from cli_process import Shell
from verdict_runs import DONE, EDIT, folder_with_test, write_script_outside

OTHER = EDIT.replace("a.py", "b.py")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return folder_with_test(tmp_path)


def task(openkoi: Shell, turns: str = EDIT) -> str:
    """Let a task edit a file; return its id."""
    result = openkoi("Edit it", "--executor", write_script_outside(openkoi, turns + DONE), "--no-judge", "-i", "0")
    assert 0 == result.returncode, result.stderr
    return last_id(openkoi)


def last_id(openkoi: Shell) -> str:
    return openkoi("status").stdout.split("Last tasks:")[1].split()[2]


def test_undo_says_that_the_changes_were_reverted_without_it_and_which_task_is_before(openkoi: Shell) -> None:
    first, second = task(openkoi), task(openkoi, OTHER)
    (openkoi.folder / "b.py").unlink()
    undone = openkoi("undo")

    assert (0, "x = 3\n") == (undone.returncode, (openkoi.folder / "a.py").read_text()), undone.stderr
    assert [
        f"Nothing to undo: the files are as they were before task {second}: Edit it",
        f"The task was reverted without `openkoi undo`. To undo the task before it, run `openkoi undo {first}`.",
        "0 files restored, 1 already up to date",
    ] == undone.stdout.splitlines()


def test_undo_names_no_task_before_where_there_is_none(openkoi: Shell) -> None:
    task(openkoi)
    (openkoi.folder / "a.py").write_text("x = 0\n")
    undone = openkoi("undo")

    assert (0, "The task was reverted without `openkoi undo`.") == (undone.returncode, undone.stdout.splitlines()[1])


def test_undo_says_that_a_task_was_undone_before(openkoi: Shell) -> None:
    id = task(openkoi)
    openkoi("undo")
    undone = openkoi("undo", id)

    assert 0 == undone.returncode, undone.stderr
    assert f"The task is already undone. To reapply it, run `openkoi redo {id}`." in undone.stdout.splitlines()


def test_redo_says_that_no_task_was_undone(openkoi: Shell) -> None:
    id = task(openkoi)
    redone = openkoi("redo")

    assert (0, "x = 3\n") == (redone.returncode, (openkoi.folder / "a.py").read_text())
    assert [
        f"Nothing to reapply: the files are as they were after task {id}: Edit it",
        "The task has not been undone.",
        "0 files restored, 1 already up to date",
    ] == redone.stdout.splitlines()


def test_after_a_revert_by_git_undo_again_goes_on_with_the_task_before(openkoi: Shell) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=openkoi.folder, check=True)
    task(openkoi, OTHER)
    task(openkoi)
    subprocess.run([*git, "checkout", "-q", "."], cwd=openkoi.folder, check=True)
    reply = [openkoi("undo").stdout.partition(" task ")[0] for _ in range(2)]

    assert ["Nothing to undo: the files are as they were before", "Undid"] == reply
    assert not (openkoi.folder / "b.py").exists()
