"""Store chunks of transcripts, and make them searchable in their scope once their project is known."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from openkoi_search.documents import document_of_piece

from .documents import make_document_rows
from .index import add_postings, remove_documents
from .rows import ChunkRow, PlaceRow
from .sql import insert_rows
from .stored_records import find_hidden

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WAITING = """
SELECT id, text, memory_chunks.created_at, runs.session, runs.project
FROM (SELECT id, run FROM chunk_places WHERE run IN (SELECT unnest(?::VARCHAR[]))
      AND doc NOT IN (SELECT doc FROM documents)) AS places
JOIN memory_chunks USING (id) JOIN runs ON runs.id = places.run ORDER BY id
"""
SHOWN = """
SELECT doc FROM chunk_places WHERE run IN (SELECT unnest(?::VARCHAR[])) AND doc IN (SELECT doc FROM documents)
"""


def store_pieces(
    connection: "DuckDBPyConnection", rows: Collection[ChunkRow | PlaceRow], changed: Collection[str]
) -> None:
    """Store transcript pieces; those of an unknown or hidden run wait until it is known or shown.

    ``changed`` are the runs that began, or that a rewind hid or brought back.
    """
    insert_rows(connection, rows)
    runs = {row.run for row in rows if isinstance(row, PlaceRow)} | set(changed)
    hidden = find_hidden(connection, runs)
    shown = connection.execute(SHOWN, [hidden]).fetchall() if hidden else []
    remove_documents(connection, [doc for (doc,) in shown])
    waiting = connection.execute(WAITING, [list(runs - set(hidden))]).fetchall() if runs else []
    fresh = make_document_rows(document_of_piece(*row) for row in waiting)
    if fresh:
        insert_rows(connection, fresh)
        add_postings(connection, fresh)
