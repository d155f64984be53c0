"""Test kills at any instant: acknowledged records exist exactly once, and the tables can be rebuilt."""

import asyncio
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from openkoi_duckdb.table_memory import TableMemory
from openkoi_runlog import list_segments, read_segment

RUN = Path(__file__).with_name("crash_run.py")
PROCESSES = 8
STEPS = 52
pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")


def run_and_kill(home: Path, number: int, step: int, seconds: float | None = None) -> list[str]:
    """Run until the step, or for some seconds; return the acknowledged records."""
    workspace = home / f"workspace-{number}"
    workspace.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(RUN), str(home), str(workspace), str(step)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            output, errors = child.communicate(timeout=seconds or 60)
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
    assert "Error" not in errors, errors
    return [line for line in output.splitlines() if len(line) == 20]


def kill_at_each_step(home: Path, steps: Sequence[int]) -> list[str]:
    """Kill a run at each step, eight processes at a time, a quarter of them at a moment of chance."""
    chance = random.Random(7)
    moments = [chance.uniform(0.3, 2.0) if number % 4 == 3 else None for number in range(len(steps))]
    with ThreadPoolExecutor(PROCESSES) as pool:
        output = pool.map(run_and_kill, [home] * len(steps), range(len(steps)), steps, moments)
    return [id for ids in output for id in ids]


def logged_records(home: Path) -> Counter[str]:
    return Counter(record.id for path in list_segments(home / "data" / "sessions") for record in read_segment(path))


async def ingest_log(home: Path, view: Path, batch: int) -> None:
    memory = TableMemory(path=view)
    for path in list_segments(home / "data" / "sessions"):
        records = list(read_segment(path))
        for start in range(0, len(records), batch):
            await memory.ingest(records[start : start + batch])


def content(view: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every table except the one with the creation time."""
    with duckdb.connect(str(view), read_only=True) as connection:
        names = [name for (name,) in connection.sql("select table_name from duckdb_tables() order by 1").fetchall()]
        return {
            name: sorted(connection.sql(f'select * from "{name}"').fetchall(), key=repr)
            for name in names
            if name != "_migrations"
        }


def check_memory(home: Path, steps: Sequence[int]) -> None:
    acknowledged = kill_at_each_step(home, steps)
    there = logged_records(home)

    assert len(acknowledged) > 5 * len(steps)
    assert [] == [id for id in acknowledged if there[id] == 0]
    assert [] == [id for id, count in there.items() if count > 1]

    asyncio.run(ingest_log(home, home / "one.db", 7))
    asyncio.run(ingest_log(home, home / "one.db", 50))
    asyncio.run(ingest_log(home, home / "two.db", 10_000))

    assert content(home / "one.db") == content(home / "two.db")


@pytest.mark.row("FLOW-10")
def test_a_run_killed_at_some_steps_loses_and_doubles_nothing(tmp_path: Path) -> None:
    check_memory(tmp_path, random.Random(len(str(tmp_path))).sample(range(1, STEPS), PROCESSES))


@pytest.mark.campaign
@pytest.mark.timeout(1200)
def test_a_run_killed_at_every_step_a_hundred_times_loses_and_doubles_nothing(tmp_path: Path) -> None:
    check_memory(tmp_path, [1 + number % STEPS for number in range(100)])


def test_the_run_that_is_killed_is_one_of_three_iterations(tmp_path: Path) -> None:
    run_and_kill(tmp_path, 0, 10_000)
    names = [
        record.event.name for path in list_segments(tmp_path / "data" / "sessions") for record in read_segment(path)
    ]

    assert 3 == names.count("iteration")
    assert "run.completed" in names
    assert "three\n" == (tmp_path / "workspace-0" / "a.txt").read_text()
    assert STEPS - 8 < len(names) < STEPS + 8, len(names)
