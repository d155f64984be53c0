"""What holds for all tests: the same examples each time, patience, and no work done again and again."""

import os
import sys

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None, derandomize=True)
settings.load_profile("patient")

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_xdist_auto_num_workers() -> int:
    """Twice as many as there are processors: most tests wait, for a server or for a process of their own."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(scope="session", autouse=True)
def bare_pytest() -> None:
    """Tests of projects that tests make need none of the pytest plugins that ours do, and start faster without."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
