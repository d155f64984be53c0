"""The pytest plugin: a ``koi`` fixture, and the ``row`` marker for acceptance rows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from openkoi_hookspecs import Result, Task

from .rehearsing import Rehearsed, Stage, perform


class Pond:
    """Runs tasks in a workspace of the test's own. ``stage`` may be replaced before."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.last: Rehearsed | None = None

    def solve(self, task: Task | str, stage: Stage) -> Result:
        """Do a task on this stage; what was written down is kept in ``last``."""
        self.last = perform(Task(task) if isinstance(task, str) else task, stage, self.workspace)
        return self.last.result


@pytest.fixture
def koi(tmp_path: Path) -> Iterator[Pond]:
    """A real OpenKoi over a scripted model, in a workspace of its own: ``koi.solve("task", Stage(says=[...]))``."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    yield Pond(workspace)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "row(*ids): the acceptance rows a test stands for")
