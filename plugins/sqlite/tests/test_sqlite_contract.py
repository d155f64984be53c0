"""Test the SQLite memory with the contract of memories, and its health report."""

from pathlib import Path

import pytest

from openkoi_sqlite import SQLite
from openkoi_testing import HealthContract, MemoryContract


class TestSQLite(MemoryContract):
    subject = SQLite


class TestHealth(HealthContract):
    @pytest.fixture
    def plugin(self, tmp_path: Path) -> object:
        return SQLite(path=tmp_path / "memory.db")
