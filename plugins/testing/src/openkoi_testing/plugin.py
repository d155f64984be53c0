"""Define the pytest plugin: fixtures for a run and for a foreign server, and the markers of our suites.

Every pytest where this is installed loads it, so it imports what it needs when it is needed.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from openkoi_hookspecs import Result, Task

    from .scenario import FinishedRun, Scenario

LIVE_VARIABLES = ("OPENKOI_LIVE_TEST", "LIVE")


class RunFixture:
    """Run tasks in the test's own workspace. ``stage`` may be replaced before."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.last: FinishedRun | None = None

    def solve(self, task: "Task | str", stage: "Scenario") -> "Result":
        """Run a task in this scenario; its log is available as ``last``."""
        from openkoi_hookspecs import Task

        from .scenario import run_scenario

        self.last = run_scenario(Task(task) if isinstance(task, str) else task, stage, self.workspace)
        return self.last.result


@pytest.fixture
def koi(tmp_path: Path) -> RunFixture:
    """Return a real OpenKoi over a scripted model, in a workspace of its own.

    ``koi.solve("task", Scenario(says=[...]))``.
    """
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return RunFixture(workspace)


@pytest.fixture(scope="session")
def foreign_server() -> Iterator[str]:
    """Yield the address of a foreign server, one per session, that answers as ``ForeignServerContract`` requires."""
    from .contracts.foreign_server import FIXTURES
    from .servers import ForeignServerMissingError, LLMock

    with ExitStack() as stack:
        try:
            server = stack.enter_context(LLMock(*FIXTURES))
        except ForeignServerMissingError as missing:
            pytest.skip(str(missing))  # it comes from npm, which is not everywhere
        yield server.address


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "row(*ids): the requirements that a test checks")
    config.addinivalue_line("markers", "live: calls a real model, only with OPENKOI_LIVE_TEST=1")
    config.addinivalue_line("markers", "campaign: takes minutes; deselect it with -m 'not campaign'")
    config.addinivalue_line(
        "markers", "sampled(count): mark all but COUNT of a test's cases as campaign, evenly spread"
    )
    config.addinivalue_line("markers", "unit: uses no files, processes or sockets, which -m unit enforces")
    if config.getoption("markexpr") == "unit":
        from .unit_tests import UnitTestGuard

        config.pluginmanager.register(UnitTestGuard())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that call a real model, unless they are enabled, and sample the cases of the tests that ask for it."""
    if not any(os.environ.get(name, "") not in ("", "0") for name in LIVE_VARIABLES):
        for item in items:
            if item.get_closest_marker("live"):
                item.add_marker(pytest.mark.skip(reason="set OPENKOI_LIVE_TEST=1 to call a real model"))
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for those in cases.values():
        sample_cases(those)


def sample_cases(cases: Sequence[pytest.Item]) -> None:
    """Mark all but a ``sampled`` number of a test's cases, spread evenly over them, as campaign."""
    marker = cases[0].get_closest_marker("sampled")
    count = min(marker.args[0], len(cases)) if marker else len(cases)
    kept = {place * len(cases) // count for place in range(count)}
    for place, case in enumerate(cases):
        if place not in kept:
            case.add_marker("campaign")
