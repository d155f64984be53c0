"""What was said in a run, as rows of the tables. Knows no database."""

from dataclasses import dataclass

from openkoi_hookspecs import Record
from openkoi_search.documents import number, pieces_of
from openkoi_search.scopes import TRANSCRIPT

from .rows import ChunkRow, PlaceRow


@dataclass(frozen=True, slots=True)
class TranscriptPiece:
    """A piece of a transcript, and its run."""

    chunk: ChunkRow
    place: PlaceRow


def turns_of(record: Record) -> list[TranscriptPiece]:
    """Return what was said in a record, in pieces."""
    return [
        TranscriptPiece(
            ChunkRow(id, TRANSCRIPT, piece, record.at), PlaceRow(id, number(False, id), record.run, record.at, n)
        )
        for n, (id, piece) in enumerate(pieces_of(record))
    ]
