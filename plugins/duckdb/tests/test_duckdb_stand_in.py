"""Test that queries are answered from the run log, by a view in memory, while the file cannot be opened."""

import asyncio
import logging
import sys
from pathlib import Path

import pytest

from openkoi_duckdb.lock import LockTimeout, hold_lock
from openkoi_duckdb.table_memory import TableMemory
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import LINE_BYTES, run_records

RUN = run_records("r1", "Mend the parser")
LATER = run_records("r2", "Mend the parser again")
posix = pytest.mark.skipif(sys.platform == "win32", reason="only DuckDB's own lock is there")


def memory(folder: Path) -> TableMemory:
    return TableMemory(path=folder / "openkoi.db", seconds=0.05)


@posix
def test_beside_a_file_in_use_the_log_answers_and_that_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    busy = memory(tmp_path)

    with hold_lock(tmp_path / "openkoi.db.lock", LockTimeout(1.0)), caplog.at_level(logging.WARNING, "openkoi"):
        assert {} == asyncio.run(busy.offsets())
        asyncio.run(busy.ingest(RUN + LATER))
        assert {"r1.jsonl": len(RUN) * LINE_BYTES, "r2.jsonl": len(LATER) * LINE_BYTES} == asyncio.run(busy.offsets())
        assert {"r1", "r2"} == set(ids_of(search_project(busy, "parser")))

    assert 1 == caplog.text.count("Until then, OpenKoi searches the run log directly")


@posix
def test_the_file_answers_again_as_soon_as_it_can_be_opened(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    busy = memory(tmp_path)
    with hold_lock(tmp_path / "openkoi.db.lock", LockTimeout(1.0)):
        asyncio.run(busy.offsets())
        asyncio.run(busy.ingest(RUN + LATER))

    assert {"r1.jsonl": len(RUN) * LINE_BYTES} == asyncio.run(busy.offsets())
    asyncio.run(busy.ingest(LATER))
    assert {"r1", "r2"} == set(ids_of(search_project(memory(tmp_path), "parser")))


@pytest.mark.row("MIG-01")
def test_beside_a_file_of_a_newer_version_the_log_answers(tmp_path: Path) -> None:
    newer = memory(tmp_path)
    asyncio.run(newer.ingest(RUN))
    newer.file.write(lambda c: c.execute("INSERT INTO _migrations SELECT max(version) + 1, 'x', '9' FROM _migrations"))
    before = newer.file.path.read_bytes()

    assert {} == asyncio.run(newer.offsets())
    asyncio.run(newer.ingest(RUN))

    assert ["r1"] == ids_of(search_project(newer, "parser"))
    assert before == newer.file.path.read_bytes()
