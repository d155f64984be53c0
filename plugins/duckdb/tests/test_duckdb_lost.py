"""Test that acknowledged tasks are never lost or duplicated, while many processes log, ingest, and are killed."""

import sys
from collections.abc import Sequence

import pytest

from openkoi_duckdb.table_memory import TableMemory
from openkoi_testing.contracts.memory_killed import MemoryKilledContract


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.timeout(600)
class TestDuckDBKilled(MemoryKilledContract):
    subject = TableMemory
    name = "openkoi.db"

    def tasks(self, memory: TableMemory) -> Sequence[str]:
        found = memory.file.read(lambda c: c.execute("SELECT id FROM tasks ORDER BY id").fetchall())
        return [id for (id,) in found or []]
