"""An export as columns, one Parquet file a table. Knows rows; DuckDB knows the format."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

from openkoi_hookspecs import KoiError

from .rows import ExportRow
from .source import ExportSource
from .telling import tables_of

TYPES: dict[object, str] = {
    str: "VARCHAR",
    bool: "BOOLEAN",
    int: "BIGINT",
    int | None: "BIGINT",
    float: "DOUBLE",
    float | None: "DOUBLE",
    tuple[str, ...]: "VARCHAR[]",
}
ALONE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 1,
}
CHARACTER_UNKNOWN = "\ufffd"


def write_parquet(folder: Path, source: ExportSource) -> dict[str, int]:
    """Write all tables; raises KoiError where DuckDB is not installed."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise KoiError("Parquet is written by DuckDB, which is not installed: pip install openkoi-duckdb") from None
    tables = tables_of(source.records()).rows_by_type()
    try:
        with duckdb.connect(config=ALONE) as connection:
            for kind, rows in tables.items():
                connection.execute(f"CREATE TABLE {kind.table} ({columns(kind)})")
                if rows:
                    connection.execute(insertion(kind), values(kind, rows))
                path = folder / f"{kind.table}.parquet"
                connection.execute(f"COPY {kind.table} TO {quote_path(path)} (FORMAT parquet)")
                path.chmod(0o600)
    except duckdb.Error as error:
        raise KoiError(f"{folder} cannot be written by DuckDB: {str(error).splitlines()[0]}") from error
    return {kind.table: len(rows) for kind, rows in tables.items()}


def columns(kind: type[ExportRow]) -> str:
    """The columns of a table, with their types."""
    hints = get_type_hints(kind)
    return ", ".join(f'"{field.name}" {TYPES[hints[field.name]]}' for field in fields(kind))


def insertion(kind: type[ExportRow]) -> str:
    """The statement that inserts columns of this kind."""
    hints = get_type_hints(kind)
    return f"INSERT INTO {kind.table} SELECT " + ", ".join(
        f"unnest(?::{TYPES[hints[field.name]]}[])" for field in fields(kind)
    )


def values(kind: type[ExportRow], rows: Sequence[ExportRow]) -> list[list[object]]:
    """The rows as columns, every text as UTF-8 can hold it."""
    return [[storable(getattr(row, field.name)) for row in rows] for field in fields(kind)]


def storable(value: object) -> object:
    """Return a value without lone surrogates."""
    if isinstance(value, str):
        return (
            value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", CHARACTER_UNKNOWN)
        )
    return [storable(one) for one in value] if isinstance(value, tuple) else value


def quote_path(path: Path) -> str:
    """Return a path as an SQL literal."""
    return "'" + str(path).replace("'", "''") + "'"
