"""Test that the tables are the same whatever process built them, in any order, and despite interruptions."""

import asyncio
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from openkoi_duckdb.reduce_event import KINDS
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Record, Task
from openkoi_hookspecs.events import QuestionAnswered, TaskStarted
from openkoi_testing.contracts.memory_log import many_runs, records_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WORDS = "We settled on the blue gateway for invoices, because the green one lost a webhook."
LOG = [
    *many_runs(5),
    *records_of(
        "talk", [TaskStarted(Task("Talk", session="s9", project="a")), QuestionAnswered("q1", WORDS)], start=3e6
    ),
]
ABSORB = """
import asyncio, pickle, sys
from openkoi_duckdb.table_memory import TableMemory
path, batch, records = pickle.load(sys.stdin.buffer)
memory = TableMemory(path=path, seconds=60.0)
for start in range(0, len(records), batch):
    asyncio.run(memory.ingest(records[start : start + batch]))
"""

Tables = dict[str, list[str]]


def tables(path: Path) -> Tables:
    """Return the content of all tables, except their creation times."""

    def read(connection: "DuckDBPyConnection") -> Tables:
        names = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        return {
            name: sorted(map(repr, connection.execute(f"FROM {name}").fetchall()))
            for (name,) in names
            if name != "_migrations"
        }

    return TableMemory(path=path, seconds=30.0).file.read(read) or {}


def absorbed(path: Path, *batches: Sequence[Record]) -> Tables:
    """Ingest batches in turn, and return the content of the tables."""
    memory = TableMemory(path=path)
    for batch in batches:
        asyncio.run(memory.ingest(batch))
    return tables(path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The content of the tables after ingesting the whole log at once."""
    return absorbed(tmp_path_factory.mktemp("whole") / "openkoi.db", LOG)


def child(path: Path, records: Sequence[Record], batch: int) -> subprocess.Popen[bytes]:
    """Let another process ingest records, a few at a time."""
    process = subprocess.Popen([sys.executable, "-c", ABSORB], stdin=subprocess.PIPE)
    assert process.stdin is not None
    pickle.dump((path, batch, list(records)), process.stdin)
    process.stdin.close()
    return process


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.campaign) for n in (1, 2, 3))])
def test_a_rebuild_equals_what_grew_in_any_order(tmp_path: Path, whole: Tables, seed: int) -> None:
    chance = random.Random(seed)
    shuffled = chance.sample(LOG, len(LOG))
    edges = [0, *sorted(chance.sample(range(1, len(LOG)), 3)), len(LOG)]
    batches = [shuffled[start:end] for start, end in pairwise(edges)]

    assert whole == absorbed(tmp_path / "openkoi.db", *batches, shuffled[:40])


def test_every_kind_of_row_is_compared(whole: Tables) -> None:
    assert {"embedded", "memory_vec", "usage_patterns", "vector_mark"} == {
        name for name, rows in whole.items() if not rows
    }


@pytest.mark.campaign
@pytest.mark.parametrize("processes", [2, 8])
def test_processes_at_once_leave_what_one_would_have_left(tmp_path: Path, whole: Tables, processes: int) -> None:
    path = tmp_path / "openkoi.db"
    children = [child(path, LOG[n::processes] + LOG[n::5], 40) for n in range(processes)]

    assert [0] * processes == [process.wait(timeout=100) for process in children]
    assert whole == tables(path)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("times", [1, pytest.param(8, marks=pytest.mark.campaign)])
def test_a_process_killed_at_any_time_leaves_a_view_that_is_true(tmp_path: Path, whole: Tables, times: int) -> None:
    path, chance = tmp_path / "openkoi.db", random.Random(3)
    for _ in range(times):
        killed(path, chance.uniform(0.0, 0.6))
        offsets = asyncio.run(TableMemory(path=path).offsets())
        held = {line.split("'")[1] for line in tables(path).get("records", [])}
        output = {
            one.id for one in LOG if one.end <= offsets.get(one.segment, -1) and type(one.event) in KINDS.values()
        }

        assert output <= held

    assert whole == absorbed(path, LOG)


def killed(path: Path, seconds: float) -> None:
    """Let a process ingest records, and kill it some seconds after it began to write."""
    before = written(path)
    process = child(path, LOG, 10)
    deadline = time.monotonic() + 30
    while written(path) == before and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()


def written(path: Path) -> int:
    """Return when the file, or one beside it, was last written."""
    parts = (path, path.with_name(f"{path.name}.wal"))
    return sum(part.stat().st_mtime_ns for part in parts if part.exists())
