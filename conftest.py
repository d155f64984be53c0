"""What holds for all tests: patience with a busy machine, and no work of Python's or pytest's done again and again."""

import os
import sys

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="session", autouse=True)
def bare_pytest() -> None:
    """Tests of projects that tests make need none of the pytest plugins that ours do, and start faster without."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
