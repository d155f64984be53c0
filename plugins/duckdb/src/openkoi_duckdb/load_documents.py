"""Load all documents and their words from the tables at once, for a process that searches repeatedly."""

from typing import TYPE_CHECKING

from .vectors import read_mark

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from openkoi_search.in_memory_documents import InMemoryDocuments

IN_ORDER = "lead(doc) OVER (PARTITION BY run ORDER BY moment, length(id), id)"
DOCUMENTS = "SELECT doc, moment, id, kind, learned, memo, scope, dl, keys FROM documents ORDER BY doc"
WORDS = "SELECT term, count(*) FROM memory_fts GROUP BY term ORDER BY term"
POSTINGS = "SELECT doc, tf FROM memory_fts ORDER BY term, doc"
AFTER = f"SELECT * FROM (SELECT doc, {IN_ORDER} AS next FROM chunk_places) WHERE next IS NOT NULL"


def load_documents(connection: "DuckDBPyConnection") -> "InMemoryDocuments":
    """Read all documents."""
    from openkoi_search.in_memory_documents import DocumentLine, WordPostings, build_documents

    lines = [DocumentLine(*row) for row in connection.execute(DOCUMENTS).fetchall()]
    words = connection.execute(WORDS).fetchall()
    found = connection.execute(POSTINGS).fetchnumpy()
    after = dict(connection.execute(AFTER).fetchall())
    return build_documents(lines, WordPostings(words, found["doc"], found["tf"]), after, read_mark(connection))
