"""The pytest plugin: fixtures for a run and for a server that others wrote, and the markers of our suites.

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

    from .rehearsing import Rehearsed, Stage

LIVE = ("OPENKOI_LIVE_TEST", "LIVE")


class Pond:
    """Runs tasks in a workspace of the test's own. ``stage`` may be replaced before."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.last: Rehearsed | None = None

    def solve(self, task: "Task | str", stage: "Stage") -> "Result":
        """Do a task on this stage; what was written down is kept in ``last``."""
        from openkoi_hookspecs import Task

        from .rehearsing import perform

        self.last = perform(Task(task) if isinstance(task, str) else task, stage, self.workspace)
        return self.last.result


@pytest.fixture
def koi(tmp_path: Path) -> Pond:
    """A real OpenKoi over a scripted model, in a workspace of its own: ``koi.solve("task", Stage(says=[...]))``."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return Pond(workspace)


@pytest.fixture(scope="session")
def peer() -> Iterator[str]:
    """The address of a server that others wrote, one a session, which says what ``PeerContract`` asks for."""
    from .contracts.peer import FIXTURES
    from .servers import LLMock, PeerMissing

    with ExitStack() as stack:
        try:
            server = stack.enter_context(LLMock(*FIXTURES))
        except PeerMissing as missing:
            pytest.skip(str(missing))  # it comes from npm, which is not everywhere
        yield server.address


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "row(*ids): the acceptance rows a test stands for")
    config.addinivalue_line("markers", "live: calls a real model, only with OPENKOI_LIVE_TEST=1")
    config.addinivalue_line("markers", "campaign: takes minutes; deselect it with -m 'not campaign'")
    config.addinivalue_line("markers", "sampled(count): mark all but so many of a test's cases as campaign, evenly")
    config.addinivalue_line("markers", "unit: neither files nor processes nor sockets, which -m unit enforces")
    if config.getoption("markexpr") == "unit":
        from .unit import UnitTests

        config.pluginmanager.register(UnitTests())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that call a real model, unless they are enabled, and sample the cases of the tests that ask for it."""
    if not any(os.environ.get(name, "") not in ("", "0") for name in LIVE):
        for item in items:
            if item.get_closest_marker("live"):
                item.add_marker(pytest.mark.skip(reason="set OPENKOI_LIVE_TEST=1 to call a real model"))
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for those in cases.values():
        sample(those)


def sample(cases: Sequence[pytest.Item]) -> None:
    """Mark all but a ``sampled`` number of a test's cases, spread evenly over them, as campaign."""
    marker = cases[0].get_closest_marker("sampled")
    count = min(marker.args[0], len(cases)) if marker else len(cases)
    kept = {place * len(cases) // count for place in range(count)}
    for place, case in enumerate(cases):
        if place not in kept:
            case.add_marker("campaign")
