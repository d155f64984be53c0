"""Export as Parquet, one file per table, with DuckDB."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

from openkoi_hookspecs import KoiError

from .export_source import ExportSource
from .rows import ExportRow
from .tables import build_tables

TYPES: dict[object, str] = {
    str: "VARCHAR",
    bool: "BOOLEAN",
    int: "BIGINT",
    int | None: "BIGINT",
    float: "DOUBLE",
    float | None: "DOUBLE",
    tuple[str, ...]: "VARCHAR[]",
}
CONNECTION_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 1,
}
REPLACEMENT = "\ufffd"


def write_parquet(folder: Path, source: ExportSource) -> dict[str, int]:
    """Write all tables; raise KoiError if DuckDB is not installed."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise KoiError("The Parquet format needs DuckDB. Run `pip install openkoi-duckdb`.") from None
    tables = build_tables(source.records()).rows_by_type()
    try:
        with duckdb.connect(config=CONNECTION_SETTINGS) as connection:
            for kind, rows in tables.items():
                connection.execute(f"CREATE TABLE {kind.table} ({column_definitions(kind)})")
                if rows:
                    connection.execute(insert_statement(kind), column_values(kind, rows))
                path = folder / f"{kind.table}.parquet"
                connection.execute(f"COPY {kind.table} TO {quote_path(path)} (FORMAT parquet)")
                path.chmod(0o600)
    except duckdb.Error as error:
        raise KoiError(f"DuckDB cannot write {folder}: {str(error).splitlines()[0]}") from error
    return {kind.table: len(rows) for kind, rows in tables.items()}


def column_definitions(kind: type[ExportRow]) -> str:
    """Return a table's columns with their types."""
    hints = get_type_hints(kind)
    return ", ".join(f'"{field.name}" {TYPES[hints[field.name]]}' for field in fields(kind))


def insert_statement(kind: type[ExportRow]) -> str:
    """Return the SQL statement that inserts rows from column lists."""
    hints = get_type_hints(kind)
    return f"INSERT INTO {kind.table} SELECT " + ", ".join(
        f"unnest(?::{TYPES[hints[field.name]]}[])" for field in fields(kind)
    )


def column_values(kind: type[ExportRow], rows: Sequence[ExportRow]) -> list[list[object]]:
    """Return the rows as columns."""
    return [[replace_surrogates(getattr(row, field.name)) for row in rows] for field in fields(kind)]


def replace_surrogates(value: object) -> object:
    """Return a value with lone surrogates and NUL replaced."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", REPLACEMENT)
    return [replace_surrogates(one) for one in value] if isinstance(value, tuple) else value


def quote_path(path: Path) -> str:
    """Return a path as an SQL literal."""
    return "'" + str(path).replace("'", "''") + "'"
