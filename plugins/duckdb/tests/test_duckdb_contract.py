"""The DuckDB memory is a memory."""

from openkoi_testing.contracts.memory import MemoryContract

from openkoi_duckdb import DuckDB


class TestDuckDB(MemoryContract):
    subject = DuckDB
