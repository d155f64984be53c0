"""What was said in a run, as rows of the tables and as documents. Knows no database."""

from dataclasses import dataclass

from openkoi_hookspecs import Passage, Record
from openkoi_recall.pieces import pieces, said
from openkoi_recall.shelves import TRANSCRIPT, shelf_of

from .documents import Document, number
from .rows import ChunkRow, PlaceRow


@dataclass(frozen=True, slots=True)
class Turn:
    """A piece of what was said, and the run it was said in."""

    chunk: ChunkRow
    place: PlaceRow


def turns_of(record: Record) -> list[Turn]:
    """Return what was said in a record, in pieces."""
    return [
        Turn(
            ChunkRow(f"{record.id}:{n}", TRANSCRIPT, piece, record.at),
            PlaceRow(f"{record.id}:{n}", number(False, f"{record.id}:{n}"), record.run, record.at, n),
        )
        for n, piece in enumerate(pieces(said(record.event)))
    ]


def document(id: str, text: str, moment: str, session: str, project: str) -> Document:
    """Return a piece as it can be found: on the shelf of the project that it was said in."""
    return Document(Passage(id, text, kind=TRANSCRIPT, origin=session), shelf_of(project), moment)
