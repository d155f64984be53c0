"""The DuckDB memory is a memory."""

from openkoi_duckdb import DuckDB
from openkoi_testing import MemoryContract


class TestDuckDB(MemoryContract):
    subject = DuckDB
