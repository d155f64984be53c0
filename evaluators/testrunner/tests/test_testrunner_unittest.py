"""Test the test runner in environments without pytest. Everything here really runs."""

import asyncio
import venv as environments
from pathlib import Path

from openkoi_hookspecs import Evaluation, ExecutionResult
from openkoi_testing import make_run
from openkoi_testrunner import TestRunner

POND = """
import unittest

class Pond(unittest.TestCase):
    def test_good(self):
        print("ok")

    def test_bad(self):
        self.assertEqual(1, 2)

    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)

    @unittest.skip("later")
    def test_later(self):
        pass
"""


def run_tests(root: Path, venv: str = "") -> Evaluation:
    async def story() -> Evaluation | None:
        async with make_run(root) as run:
            return await TestRunner(venv=venv).evaluate(ExecutionResult("done"), run)

    evaluation = asyncio.run(story())
    assert evaluation is not None
    return evaluation


def test_plain_test_cases_run_in_the_projects_own_environment_without_pytest(tmp_path: Path) -> None:
    environments.create(tmp_path / ".venv", symlinks=True)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_pond.py").write_text(POND)
    (tmp_path / "tests" / "test_broken.py").write_text("from unittest import TestCase\nimport no_such_thing\n")

    evaluation = run_tests(tmp_path)

    name = "test_pond.Pond.test_"
    expected = {"test_broken": False, f"{name}good": True, f"{name}bad": False, f"{name}parts": False}
    assert expected == {check.name: check.passed for check in evaluation.checks}
    titles = {finding.rule: (finding.title, finding.where) for finding in evaluation.findings}
    assert (f"{name}bad fails: AssertionError: 1 != 2", "tests/test_pond.py:9") == titles[f"{name}bad"]
    assert evaluation.log.startswith("unittest: 1 passed, 3 failed, 1 skipped")


def test_tests_that_need_pytest_run_where_it_is(tmp_path: Path, venv: str) -> None:
    environments.create(tmp_path / ".venv", symlinks=True)
    (tmp_path / "test_pond.py").write_text("def test_good():\n    pass\n")

    evaluation = run_tests(tmp_path, venv)

    assert ["test_pond.py::test_good"] == [check.name for check in evaluation.checks]
