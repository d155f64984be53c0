"""Split the transcript of a run into rows of the tables."""

from openkoi_hookspecs import Record
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.documents import number, pieces_of
from openkoi_search.scopes import TRANSCRIPT

from .rows import ChunkRow, PlaceRow


@dataclass(frozen=True, slots=True)
class TranscriptPiece:
    """A piece of a transcript, and its run."""

    chunk: ChunkRow
    place: PlaceRow


def make_pieces(record: Record) -> list[TranscriptPiece]:
    """Return a record's transcript in pieces."""
    return [
        TranscriptPiece(
            ChunkRow(piece_id, TRANSCRIPT, piece, record.at),
            PlaceRow(piece_id, number(False, piece_id), record.run, record.at, n),
        )
        for n, (piece_id, piece) in enumerate(pieces_of(record))
    ]
