"""Test the DuckDB memory with the contract of memories, with its index and its tables, and its health report."""

import asyncio
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from openkoi_duckdb import DuckDB
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Memory
from openkoi_testing import HealthContract, MemoryContract
from openkoi_testing.contracts.memory_log import build_learning, saving_record


class TestDuckDB(MemoryContract):
    subject = DuckDB


class TestHealth(HealthContract):
    @pytest.fixture
    def plugin(self, tmp_path: Path) -> object:
        return DuckDB(path=tmp_path / "memory.db")


class TestTables(MemoryContract):
    subject = TableMemory

    def memory(self, folder: Path) -> Memory:
        """Start with a file that has tables, because creating them takes longer than most tests."""
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "memory.db").exists():
            (folder / "memory.db").write_bytes(laid_out())
        return super().memory(folder)


@cache
def laid_out() -> bytes:
    """A file with empty tables."""
    with TemporaryDirectory() as folder:
        memory = TableMemory(path=Path(folder, "memory.db"))
        asyncio.run(memory.ingest([saving_record(build_learning("L1"), "r1", start=1.0)]))
        for table in ("records", "learnings", "documents", "memory_fts"):
            memory.file.write(lambda connection, table=table: connection.execute(f"DELETE FROM {table}") and 1)  # type: ignore[misc]  # bound early
        memory.file.write(lambda connection: connection.execute("DELETE FROM segments") and 1)
        return memory.file.path.read_bytes()
