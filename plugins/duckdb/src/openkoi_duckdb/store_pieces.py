"""Pieces of transcripts into their tables, and on their shelves as soon as it is known to which project they belong."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_search.documents import document_of_piece, number, pieces_of
from openkoi_search.scopes import TRANSCRIPT

from .documents import make_document_rows
from .index import add_postings
from .rows import ChunkRow, PlaceRow
from .sql import insert_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WAITING = """
SELECT id, text, memory_chunks.created_at, runs.session, runs.project
FROM (SELECT id, run FROM chunk_places WHERE run IN (SELECT unnest(?::VARCHAR[]))
      AND doc NOT IN (SELECT doc FROM documents)) AS places
JOIN memory_chunks USING (id) JOIN runs ON runs.id = places.run ORDER BY id
"""


def make_pieces(record: Record) -> Iterator[ChunkRow | PlaceRow]:
    """Yield the rows of a record's transcript, which is divided into pieces."""
    for n, (piece_id, piece) in enumerate(pieces_of(record)):
        yield ChunkRow(piece_id, TRANSCRIPT, piece, record.at)
        yield PlaceRow(piece_id, number(False, piece_id), record.run, record.at, n)


def store_pieces(
    connection: "DuckDBPyConnection", rows: Collection[ChunkRow | PlaceRow], begun: Collection[str]
) -> None:
    """Store transcript pieces; those of an unknown run wait until it is known."""
    insert_rows(connection, rows)
    runs = {row.run for row in rows if isinstance(row, PlaceRow)} | set(begun)
    waiting = connection.execute(WAITING, [list(runs)]).fetchall() if runs else []
    fresh = make_document_rows(document_of_piece(*row) for row in waiting)
    if fresh:
        insert_rows(connection, fresh)
        add_postings(connection, fresh)
