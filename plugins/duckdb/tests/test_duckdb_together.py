"""Test many processes that start at the same moment, and their results."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openkoi_duckdb import MemoryBusyError
from openkoi_duckdb.lock import LockTimeout, hold_lock
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Query
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import many_runs, run_records

RUN = run_records("r1", "Mend the parser", project="koi")
RECALL = """
import asyncio, sys
from pathlib import Path
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Query
from openkoi_testing.contracts.memory_log import run_records

async def recall(memory, mine):
    await memory.offsets()
    await memory.ingest(mine)
    return await memory.search(Query("parser", project="koi"))

path, n = Path(sys.argv[1]), int(sys.argv[2])
sys.stdin.read()
mine = run_records(f"p{n}", "Mend the parser", project="koi", start=n * 60.0)
hits = asyncio.run(recall(TableMemory(path=path, seconds=60.0), mine))
print(len(hits))
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="only DuckDB's own lock is there")


def memory(folder: Path, seconds: float = 5.0) -> TableMemory:
    return TableMemory(path=folder / "openkoi.db", seconds=seconds)


@pytest.mark.parametrize("number", [2, pytest.param(8, marks=pytest.mark.campaign)])
def test_processes_that_start_at_once_all_get_their_recall(tmp_path: Path, number: int) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    orders = [sys.executable, "-c", RECALL, str(tmp_path / "openkoi.db")]
    pipe = subprocess.PIPE
    children = [subprocess.Popen([*orders, str(n)], stdin=pipe, stdout=pipe, text=True) for n in range(number)]

    for child in children:
        assert child.stdin is not None
        child.stdin.close()
    output = [child.stdout.read() if child.stdout else "" for child in children]

    assert [0] * number == [child.wait(timeout=60) for child in children]
    assert all(1 < int(hits) for hits in output)
    for child in children:
        assert child.stdout is not None
        child.stdout.close()


@posix
def test_readers_do_not_wait_for_readers_but_for_who_writes(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    hurried, lock = memory(tmp_path, 0.05), tmp_path / "openkoi.db.lock"

    with hold_lock(lock, LockTimeout(1.0), shared=True):
        assert ["r1"] == ids_of(search_project(hurried, "parser"))
        with pytest.raises(MemoryBusyError):
            asyncio.run(hurried.ingest(run_records("r2", "Paint")))
    with hold_lock(lock, LockTimeout(1.0)), pytest.raises(MemoryBusyError):
        search_project(hurried, "parser")


@posix
def test_nobody_waits_for_an_answer_that_nobody_wants_any_more(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    start = time.monotonic()

    async def hurry() -> None:
        async with asyncio.timeout(0.1):
            await memory(tmp_path, 60.0).search(Query("parser"))

    with hold_lock(tmp_path / "openkoi.db.lock", LockTimeout(1.0)), pytest.raises(TimeoutError):
        asyncio.run(hurry())
    assert time.monotonic() - start < 10


def test_who_had_to_wait_leaves_the_tidying_to_who_has_not(tmp_path: Path) -> None:
    subject, waited = memory(tmp_path), LockTimeout(5.0)
    asyncio.run(subject.ingest(RUN))

    assert waited.lasts()
    subject.take_in(many_runs(1), waited)
    beside = subject.file.log_size
    asyncio.run(subject.ingest(run_records("r2", "Paint")))

    assert 0 < beside
    assert 0 == subject.file.log_size


def test_what_is_left_of_a_deleted_file_is_not_taken_for_the_next_ones(tmp_path: Path) -> None:
    subject = memory(tmp_path)
    asyncio.run(subject.ingest(RUN))
    subject.file.path.replace(subject.file.log)

    asyncio.run(memory(tmp_path).ingest(run_records("r2", "Mend the parser")))

    assert ["r2"] == ids_of(search_project(memory(tmp_path), "parser"))
    assert [] == [*tmp_path.glob("*.bad-*")]
