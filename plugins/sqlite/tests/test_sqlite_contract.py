"""The SQLite memory is a memory."""

from openkoi_sqlite import SQLite
from openkoi_testing import MemoryContract


class TestSQLite(MemoryContract):
    subject = SQLite
