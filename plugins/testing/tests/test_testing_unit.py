"""Test that the marker ``unit`` is enforced: no files, processes or sockets, and a time budget."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openkoi_testing.certify import mentions_any

HEAD = "import os, pathlib, socket, subprocess, sys, time\nimport pytest\n\n@pytest.mark.unit\ndef test_it():\n    "


def run_unit_tests(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run one unit test in a separate project."""
    (folder / "test_one.py").write_text(HEAD + line + "\n\ndef test_other():\n    assert False\n")
    options = ("-p", "openkoi_testing.plugin", "-p", "no:cacheprovider", "-m", "unit", "-q")
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "line",
    [
        "pathlib.Path('new.txt').write_text('x')",
        "os.mkdir('new')",
        "subprocess.run([sys.executable, '-c', ''])",
        "socket.create_connection(('127.0.0.1', 9))",
    ],
)
def test_a_unit_test_that_does_more_than_compute_fails(line: str, tmp_path: Path) -> None:
    result = run_unit_tests(tmp_path, line)

    assert 1 == result.returncode
    assert "is marked as a unit test, but calls" in result.stdout


def test_a_unit_test_may_import_what_is_not_compiled_yet(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text("")
    (tmp_path / "conftest.py").write_text("import sys\n\nsys.dont_write_bytecode = False\n")
    result = run_unit_tests(tmp_path, "sys.path.insert(0, str(pathlib.Path(__file__).parent))\n    import lazy")

    assert 0 == result.returncode, result.stdout


def test_the_time_of_unit_tests_is_reported_with_its_budget(tmp_path: Path) -> None:
    result = run_unit_tests(tmp_path, "assert pathlib.Path(__file__).read_text()")

    assert 0 == result.returncode, result.stdout
    assert "1 unit tests took 0.00 s of processor time; the budget is 0.00 s" in result.stdout


def test_unit_tests_over_their_budget_fail(tmp_path: Path) -> None:
    result = run_unit_tests(tmp_path, "end = time.process_time() + 0.1\n    while time.process_time() < end: pass")

    assert 1 == result.returncode
    assert "1 unit tests took 0.1" in result.stdout


@pytest.mark.parametrize(
    ("name", "expected"), [("style", True), ("house", False), ("my-style", False), ("styl", False), ("other", True)]
)
def test_an_issue_belongs_to_the_plugin_of_its_whole_name(name: str, expected: bool) -> None:
    assert expected is mentions_any("! Plugin 'style' failed at loading. house-style of other: my-style-2", [name])
