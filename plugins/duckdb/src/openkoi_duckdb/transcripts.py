"""What was said in a run, as rows of the tables and as documents. Knows no database."""

from dataclasses import dataclass

from openkoi_hookspecs import Passage, Record
from openkoi_search.pieces import pieces, searchable_text
from openkoi_search.shelves import TRANSCRIPT, shelf_of

from .documents import MemoryDocument, number
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
            ChunkRow(f"{record.id}:{n}", TRANSCRIPT, piece, record.at),
            PlaceRow(f"{record.id}:{n}", number(False, f"{record.id}:{n}"), record.run, record.at, n),
        )
        for n, piece in enumerate(pieces(searchable_text(record.event)))
    ]


def document(id: str, text: str, moment: str, session: str, project: str) -> MemoryDocument:
    """Return a piece as it can be found: on the shelf of the project that it was said in."""
    return MemoryDocument(Passage(id, text, kind=TRANSCRIPT, origin=session), shelf_of(project), moment)
