"""Return the tables of a home's memory, updated from its log like ``openkoi memory tables`` does."""

import asyncio
from pathlib import Path

import pytest

from openkoi_duckdb import DuckDB
from openkoi_duckdb.table_memory import TableMemory
from openkoi_runlog.memory_sync import MemorySync


def tables_of(data: Path) -> TableMemory:
    """Return the tables in a data folder."""
    tables = DuckDB(path=data / "openkoi.db").table_view()

    async def load() -> TableMemory:
        return tables

    asyncio.run(MemorySync(data / "sessions", pytest.fail, load).update())
    return tables


def query_tables(data: Path, statement: str) -> list[tuple[object, ...]]:
    """Return the rows that a statement selects from them."""
    return tables_of(data).file.read(lambda connection: connection.execute(statement).fetchall()) or []
