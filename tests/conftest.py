"""Settings of the whole suite: the processes that tests start begin faster."""

import gc
import os
import sys

import pytest
from cli_process import CAN_FORK
from forked_workers import ForkedWorkers
from warm_process import stop, warm

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
gc.disable()  # collecting tests makes millions of objects that stay


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Let forks of this process run the tests for ``-n``, so that they are collected only once."""
    count = config.getoption("numprocesses", None)
    if CAN_FORK and isinstance(count, int) and count > 1 and not config.getoption("usepdb"):
        config.option.numprocesses, config.option.dist, config.option.tx = None, "no", []
        config.pluginmanager.register(ForkedWorkers(count, prepare=warm))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempt the tests from garbage collection; let a pytest that a test starts load no plugins.

    The workers of xdist, which need them, have started.
    """
    gc.enable()
    gc.freeze()
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


def pytest_sessionfinish() -> None:
    """Wait for the process that ran the commands, whose time and coverage are those of the tests."""
    stop()
