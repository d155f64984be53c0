"""Pieces of transcripts into their tables, and on their shelves as soon as it is known to which project they belong."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from openkoi_search.documents import document_of_piece

from .documents import make_document_rows
from .index import add_postings
from .sql import insert_rows
from .transcript_pieces import TranscriptPiece

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WAITING = """
SELECT id, text, memory_chunks.created_at, runs.session, runs.project
FROM (SELECT id, run FROM chunk_places WHERE run IN (SELECT unnest(?::VARCHAR[]))
      AND doc NOT IN (SELECT doc FROM documents)) AS places
JOIN memory_chunks USING (id) JOIN runs ON runs.id = places.run ORDER BY id
"""


def store_pieces(connection: "DuckDBPyConnection", turns: Iterable[TranscriptPiece], begun: Collection[str]) -> None:
    """Store transcript pieces; those of an unknown run wait until it is known."""
    pieces = list(turns)
    insert_rows(connection, [row for turn in pieces for row in (turn.chunk, turn.place)])
    runs = {turn.place.run for turn in pieces} | set(begun)
    waiting = connection.execute(WAITING, [list(runs)]).fetchall() if runs else []
    fresh = make_document_rows(document_of_piece(*row) for row in waiting)
    if fresh:
        insert_rows(connection, fresh)
        add_postings(connection, fresh)
