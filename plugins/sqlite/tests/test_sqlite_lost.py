"""Test that acknowledged tasks are never lost or duplicated, while many processes log, ingest, and are killed."""

import sys
from collections.abc import Sequence

import pytest

from openkoi_search.lock_timeout import LockTimeout
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory_killed import MemoryKilledContract

TASKS = "SELECT id FROM documents WHERE kind = 'task' ORDER BY id"


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.timeout(600)
class TestSQLiteKilled(MemoryKilledContract):
    subject = SQLite
    name = "memory.sqlite"

    def tasks(self, memory: SQLite) -> Sequence[str]:
        found = memory.file.read(lambda c: c.execute(TASKS).fetchall(), LockTimeout(5.0))
        return [id for (id,) in found or []]
