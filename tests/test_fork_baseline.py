"""Test that a fork compares checks with the state before the first change of the original task."""

from pathlib import Path

import pytest
from cli_process import Shell
from verdict_runs import ANSWER_TURN, folder_with_test, result, write_script_outside

TASK = "Edit a.py so that its tests pass"
CHECK = "import a\n\n\ndef test_{name}() -> None:\n    assert a.{name} == {value}\n"
WRITE = """\
  - when: {{{when}}}
    calls: [{{tool: write_file, arguments: {{path: a.py, content: "{text}", overwrite: true}}}}]
    usage: {{input: 10, output: 10}}
"""
DONE = ANSWER_TURN.format("Done.")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder in which two tests fail and two pass."""
    openkoi = folder_with_test(tmp_path)
    (openkoi.folder / "a.py").write_text("x = y = 0\nz = 7\n")
    for name, value in (("x", 3), ("y", 5), ("z", 7)):
        (openkoi.folder / f"test_{name}.py").write_text(CHECK.format(name=name, value=value))
    return openkoi


def first_run(openkoi: Shell, text: str) -> str:
    """Let a task end unfinished, with this in a.py; return its id."""
    model = write_script_outside(openkoi, WRITE.format(when="after: 0", text=text) + DONE, "first.yaml")
    output = result(openkoi(TASK, "--executor", model, "--no-judge", "--category", "bugfix", "--format", "json"))
    assert "accept_best" == output["decision"]
    return str(output["task_id"])


def fork_task(openkoi: Shell, task: str, at: int, text: str) -> tuple[str, dict[str, object]]:
    """Fork it with a model that writes this into a.py; return the fork's id and its result."""
    model = write_script_outside(
        openkoi, WRITE.format(when=f"after: {2 * at - 2}", text=text) + DONE, f"{len(text)}.yaml"
    )
    output = result(openkoi("fork", task, "--at", str(at), "--set", f"models.executor={model}", "--format", "json"))
    return str(output["task_id"]), output


@pytest.mark.parametrize("at", [1, 2])
def test_what_turned_green_before_the_fork_counts(openkoi: Shell, at: int) -> None:
    task = first_run(openkoi, "x = 3\\ny = 0\\nz = 7\\n")
    _, output = fork_task(openkoi, task, at, "x = 3\\ny = 5\\nz = 7\\n")

    assert (True, "not judged: 2 checks turned green") == (output["accepted"], output["stop_reason"])


@pytest.mark.parametrize("at", [1, 2])
def test_what_the_task_broke_before_the_fork_is_no_old_failure(openkoi: Shell, at: int) -> None:
    task = first_run(openkoi, "x = 3\\ny = 0\\nz = 0\\n")
    _, output = fork_task(openkoi, task, at, "x = 3\\ny = 5\\nz = 0\\n")

    assert (False, "accept_best") == (output["accepted"], output["decision"])
    assert "test_z" in str(output["findings"])


def test_the_fork_of_a_fork_judges_by_the_first_baseline(openkoi: Shell) -> None:
    task = first_run(openkoi, "x = 3\\ny = 0\\nz = 7\\n")
    fork, output = fork_task(openkoi, task, 2, "x = 3\\ny = 1\\nz = 7\\n#")
    assert output["accepted"] is False
    _, output = fork_task(openkoi, fork, 2, "x = 3\\ny = 5\\nz = 7\\n")

    assert (True, "not judged: 2 checks turned green") == (output["accepted"], output["stop_reason"])
