"""Write and read rows in bulk: never one statement per row."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, get_type_hints

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .rows import TableRow

CASTS: dict[object, str] = {
    str: "VARCHAR",
    str | None: "VARCHAR",
    bool: "BOOLEAN",
    int: "BIGINT",
    int | None: "BIGINT",
    float: "DOUBLE",
    float | None: "DOUBLE",
    tuple[str, ...]: "VARCHAR[]",
}


@contextmanager
def transaction(connection: "DuckDBPyConnection") -> Iterator[None]:
    """Run the block as a transaction: keep all of its changes or none."""
    connection.begin()
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def insert_rows(connection: "DuckDBPyConnection", rows: "Iterable[TableRow]") -> None:
    """Insert rows of any tables; skip those whose id already exists."""
    sorted_out: dict[type[TableRow], list[TableRow]] = {}
    for row in rows:
        sorted_out.setdefault(type(row), []).append(row)
    for kind, group in sorted_out.items():
        columns = [[getattr(row, field.name) for row in group] for field in fields(kind)]
        connection.execute(insert_statement(kind), columns)


def insert_statement(kind: "type[TableRow]") -> str:
    """Return the statement that inserts columns of this kind."""
    types = get_type_hints(kind)
    values = ", ".join(f"unnest(?::{CASTS[types[field.name]]}[])" for field in fields(kind))
    return f"INSERT INTO {kind.table} SELECT {values} ON CONFLICT DO NOTHING"


def delete_rows(
    connection: "DuckDBPyConnection", table: str, column: str, values: Collection[str] | Collection[int]
) -> None:
    """Delete the rows whose column has one of these values."""
    connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT unnest(?))", [list(values)])


def select_rows(connection: "DuckDBPyConnection", statement: str, *values: object) -> Sequence[tuple[object, ...]]:
    """Return the rows of a query; a collection is one value."""
    bound = [list(value) if isinstance(value, (set, frozenset, tuple)) else value for value in values]
    found: list[tuple[object, ...]] = connection.execute(statement, bound).fetchall()
    return found
