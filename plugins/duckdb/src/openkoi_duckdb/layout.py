"""Create the tables in an empty database, and read the schema version of a file.

There are no migrations: a file of an older version is built again from the run log.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from openkoi_search.memory_file_errors import StoreError, StoreFailureKind

from .schema import TABLES, VERSION
from .sql import select_rows, transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def read_version(connection: "DuckDBPyConnection") -> int:
    """Return the version of a file: 0 when it has no tables."""
    from .native import duckdb

    try:
        ((version,),) = select_rows(connection, "SELECT max(version) FROM _migrations")
    except duckdb.CatalogException:
        if select_rows(connection, "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()"):
            raise StoreError(StoreFailureKind.DAMAGED, "its tables are not those of a memory file") from None
        return 0
    if not isinstance(version, int) or version < 1:
        raise StoreError(StoreFailureKind.DAMAGED, f"its version is {version}")
    return version


def create_tables(connection: "DuckDBPyConnection") -> None:
    """Create all tables in a database that has none."""
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    with transaction(connection):
        connection.execute(TABLES)
        connection.execute("INSERT INTO _migrations VALUES (?, 'tables', ?)", [VERSION, now])


def creation_time(connection: "DuckDBPyConnection") -> str:
    """Return when the tables were created, which distinguishes the file from an earlier one at the same path."""
    return str(select_rows(connection, "SELECT max(applied_at) FROM _migrations")[0][0])
