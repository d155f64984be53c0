"""Documents and their postings: a sorted table of how often each word occurs in each document."""

from collections.abc import Collection, Iterable
from math import log2
from typing import TYPE_CHECKING, cast

from openkoi_search.documents import MemoryDocument

from .documents import make_document_rows
from .rows import DocumentRow
from .sql import delete_rows, insert_rows, select_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MIN_POSTINGS = 32_768  # smaller indexes are not rebuilt when they grow (estimate)
STEPS_PER_DOUBLING = 8
POST = """
INSERT INTO memory_fts
SELECT scope, term, doc, count(*), any_value(dl) FROM (
    SELECT scope, doc, dl, unnest(string_split(terms, ' ')) AS term FROM (
        SELECT unnest(?::VARCHAR[]) AS scope, unnest(?::BIGINT[]) AS doc, unnest(?::BIGINT[]) AS dl,
               unnest(?::VARCHAR[]) AS terms))
WHERE term <> '' GROUP BY scope, term, doc ORDER BY scope, term, doc
"""
SORT = (
    "CREATE TABLE sorted_fts AS FROM memory_fts ORDER BY scope, term, doc",
    "DROP TABLE memory_fts",
    "ALTER TABLE sorted_fts RENAME TO memory_fts",
)


def reindex(connection: "DuckDBPyConnection", numbers: Collection[int], documents: Iterable[MemoryDocument]) -> None:
    """Replace the documents with these numbers by the given ones."""
    before, after = load_documents(connection, numbers), make_document_rows(documents)
    remove_documents(connection, [row.doc for row in before - after.keys()])
    fresh = {row: words for row, words in after.items() if row not in before}
    if fresh:
        insert_rows(connection, fresh)
        add_postings(connection, fresh)


def remove_documents(connection: "DuckDBPyConnection", numbers: Collection[int]) -> None:
    """Remove documents, so that they are not found."""
    for table in ("memory_fts", "documents") if numbers else ():
        delete_rows(connection, table, "doc", numbers)


def load_documents(connection: "DuckDBPyConnection", numbers: Collection[int]) -> set[DocumentRow]:
    """Return the documents with these numbers."""
    found = connection.execute("FROM documents WHERE doc IN (SELECT unnest(?::BIGINT[]))", [list(numbers)]).fetchall()
    return {
        DocumentRow(doc, memo_id, learned, kind, scope, moment, tuple(keys), dl, memo)
        for doc, memo_id, learned, kind, scope, moment, keys, dl, memo in found
    }


def add_postings(connection: "DuckDBPyConnection", fresh: dict[DocumentRow, list[str]]) -> None:
    """Add postings. The table is sorted again whenever it has grown by a tenth, so that search skips most of it."""
    columns = [[row.scope for row in fresh], [row.doc for row in fresh], [row.dl for row in fresh]]
    connection.execute(POST, [*columns, [" ".join(words) for words in fresh.values()]])
    size = count_postings(connection)
    if growth_step(size) == growth_step(size - sum(len(set(words)) for words in fresh.values())):
        return
    for statement in SORT:
        connection.execute(statement)


def count_postings(connection: "DuckDBPyConnection") -> int:
    """Count the postings."""
    return cast(int, select_rows(connection, "SELECT count(*) FROM memory_fts")[0][0])  # a count is a number


def growth_step(size: int) -> int:
    """Return the growth step of a table's size; all small tables share the lowest."""
    return int(STEPS_PER_DOUBLING * log2(max(size, MIN_POSTINGS)))
