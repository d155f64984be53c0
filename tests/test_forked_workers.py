"""Tests that run in forks are reported as those that run in one process are, also when a fork ends during one."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import CAN_FORK

TESTS = Path(__file__).parent
pytestmark = pytest.mark.skipif(not CAN_FORK, reason="xdist runs the tests where forks are no choice")
FILES = {
    "conftest.py": (
        "import pytest\nfrom forked_workers import ForkedWorkers\n\n"
        "def pytest_configure(config):\n    config.pluginmanager.register(ForkedWorkers(2))\n\n"
        "@pytest.fixture(scope='session')\ndef shared():\n    yield 1\n    raise ValueError('at the end')\n"
    ),
    "test_a.py": "def test_fails():\n    print('seen')\n    assert 1 == 2\n\ndef test_passes(tmp_path): pass\n",
    "test_b.py": "import os\n\ndef test_ends():\n    os._exit(7)\n\ndef test_after(): pass\n",
    "test_c.py": (
        "import pytest, warnings\n\nclass Own(Warning): pass\n\n"
        "def test_skipped():\n    warnings.warn('odd', Own)\n    pytest.skip('no reason')\n"
    ),
    "test_d.py": "def test_shared(shared): pass\n",
    "test_e.py": (
        "from pathlib import Path\n\n"
        "def test_passes_alone():\n    Path('runs').open('a').write('1')\n    assert '11' == Path('runs').read_text()\n"
    ),
}


def test_each_test_is_reported_once_whichever_fork_ran_it(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'base'}"]
    result = subprocess.run([*command, "-o", f"pythonpath={TESTS}"], cwd=tmp_path, capture_output=True, text=True)
    lines = result.stdout.splitlines()

    assert 1 == result.returncode
    assert lines[-1].strip("= ").startswith("3 failed, 4 passed, 1 skipped, 2 warnings in ")
    assert "The process that ran this test ended with status 7." in lines
    assert {"PASSED test_a.py::test_passes", "PASSED test_b.py::test_after"} <= {*lines}
    assert "SKIPPED [1] test_c.py:7: no reason" in lines
    assert 1 == lines.count("seen")
    assert "ValueError: at the end" in result.stderr
    assert "UserWarning: Own: odd" in result.stdout
    assert "UserWarning: Flaky: it failed beside other tests and passed alone." in result.stdout
    assert 2 == len((tmp_path / "runs").read_text())


def test_a_run_that_is_to_stop_at_the_first_failure_does(tmp_path: Path) -> None:
    for name in ("conftest.py", "test_a.py", "test_c.py"):
        (tmp_path / name).write_text(FILES[name])
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'base'}"]
    result = subprocess.run([*command, "-o", f"pythonpath={TESTS}"], cwd=tmp_path, capture_output=True, text=True)

    assert 1 == result.returncode
    assert "stopping after 1 failures" in result.stdout
