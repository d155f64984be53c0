"""What a worker of a sub-task writes itself is a change of the task; what others write beside it is not."""

from pathlib import Path

import pytest
from cli_process import Shell
from verdict_runs import DONE, EDIT, folder_with_test, write_script_outside

WORKER = """
from openkoi_hookspecs import Agent, Limits, Task, ExecutionResult, hookimpl

PART = Task("Write w.txt.", limits=Limits(iterations=0), agent=Agent(name="acme", worker="acme"))


class Writer:
    async def run(self, plan, run):
        (run.workspace / "w.txt").write_text("by the worker")
        return ExecutionResult("Written.")


@hookimpl
async def before_execute(run):
    if not run.task.parent:
        await run.solve(PART)
        (run.workspace / "mine.txt").write_text("by a person")
    return []
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder in which a plugin has a worker write a file, and plays a person who writes another."""
    return folder_with_test(tmp_path).with_plugin(WORKER, hooks="acme", workers="acme:Writer")


def test_what_a_worker_wrote_itself_is_shown_and_undone(openkoi: Shell) -> None:
    ran = openkoi(
        "Edit a.py so that x is 3", "--executor", write_script_outside(openkoi, EDIT + DONE), "--no-judge", "-i", "0"
    )
    assert (0, True) == (ran.returncode, (openkoi.folder / "w.txt").exists()), ran.stderr

    result, undone = openkoi("diff"), openkoi("undo")

    assert ["a/a.py", "w.txt"] == [one for one in ("a/a.py", "w.txt", "mine.txt") if one in result.stdout]
    assert 0 == undone.returncode, undone.stderr
    assert [False, True] == [(openkoi.folder / name).exists() for name in ("w.txt", "mine.txt")]
