"""Test runs of tests that start before the baseline is requested. They really run, in an environment with pytest."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from openkoi_hookspecs import Evaluation, ExecutionResult
from openkoi_testing import make_run
from openkoi_testrunner import TestRunner

WORK = ExecutionResult("done")
ALONE = """\
import fcntl
import time
from pathlib import Path


def test_alone():
    with Path(".pytest_cache").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        Path(".mypy_cache").touch()
        time.sleep(3)
"""
BEGUN = ".mypy_cache"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks a file as POSIX does")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose test fails if it runs twice at the same time."""
    (tmp_path / "test_alone.py").write_text(ALONE)
    return tmp_path


def test_the_baseline_is_what_was_begun(root: Path, venv: str) -> None:
    async def story() -> tuple[bool, Evaluation | None]:
        runner = TestRunner(venv=venv)
        async with make_run(root) as run:
            runner.begin(run)
            runner.begin(run)
            await asyncio.sleep(0.5)
            record = await runner.baseline(run)
            return record.checks[0].passed, await runner.evaluate(replace(WORK, baseline=record), run)

    passed, evaluation = asyncio.run(story())

    assert passed
    assert evaluation is not None
    assert (True, ()) == (evaluation.green, evaluation.findings)


def test_what_was_begun_ends_where_the_baseline_is_known(root: Path, venv: str) -> None:
    async def story() -> Evaluation | None:
        runner = TestRunner(venv=venv)
        async with make_run(root) as run:
            record = await runner.baseline(run)
            (root / BEGUN).unlink()
            runner.begin(run)
            while not (root / BEGUN).exists():  # noqa: ASYNC110  # another process makes it
                await asyncio.sleep(0.05)
            return await runner.evaluate(replace(WORK, baseline=record), run)

    evaluation = asyncio.run(story())

    assert evaluation is not None
    assert (True, ()) == (evaluation.green, evaluation.findings)
