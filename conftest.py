"""What holds for all tests: the same examples each time, patience, and no work done again and again."""

import os
import sys
from collections import defaultdict

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None, derandomize=True)
settings.load_profile("patient")

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_xdist_auto_num_workers() -> int:
    """Twice as many as there are processors: most tests wait, for a server or for a process of their own."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave all but a ``sampled`` number of a test's cases, spread evenly over them, to the campaign."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for those in cases.values():
        marker = those[0].get_closest_marker("sampled")
        count = min(marker.args[0], len(those)) if marker else len(those)
        chosen = {place * len(those) // count for place in range(count)}
        for place, item in enumerate(those):
            if place not in chosen:
                item.add_marker("campaign")


@pytest.fixture(scope="session", autouse=True)
def bare_pytest() -> None:
    """Tests of projects that tests make need none of the pytest plugins that ours do, and start faster without."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
