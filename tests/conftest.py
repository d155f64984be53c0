"""Settings of the whole suite: the processes that tests start begin faster."""

import os
import sys

import pytest

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let a pytest that a test starts load no plugins; the workers of xdist, which need them, have started."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
