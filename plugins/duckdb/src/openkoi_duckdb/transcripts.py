"""What was said in a run, in pieces that can be found: the model's answers and a person's. Knows no database.

What tools printed is left out: it is long, and comes from strangers. What was asked for is in what a task is
remembered by. So nothing that was recalled is ever said again here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Event, Passage, Record
from openkoi_hookspecs.events import Answered, Replied
from openkoi_recall.shelves import TRANSCRIPT, shelf_of

from .documents import Document, number
from .rows import ChunkRow, PlaceRow

SHORTEST, LONGEST = 24, 800
PIECES = 50
BREAK = re.compile(r"\n\s*\n|(?<=[.!?])\s+|\n")


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


def said(event: Event) -> str:
    """The words of an event that are worth finding again."""
    match event:
        case Answered(reply=reply, role="executor"):
            return reply.text
        case Replied(answer=answer):
            return answer or ""
        case _:
            return ""


def pieces(text: str) -> Sequence[str]:
    """Cut a text between paragraphs or sentences into pieces of a length; what is short says nothing alone."""
    found = [piece for piece in cut(text.strip()) if len(piece) >= SHORTEST]
    return found[:PIECES]


def cut(text: str) -> Iterator[str]:
    """Cut where a paragraph ends, else a sentence, else anywhere."""
    start = 0
    while len(text) - start > LONGEST:
        ends = [found.start() for found in BREAK.finditer(text, start + LONGEST // 2, start + LONGEST)]
        end = ends[-1] if ends else start + LONGEST
        yield text[start:end].strip()
        start = end
    yield text[start:].strip()


def document(id: str, text: str, moment: str, session: str, project: str) -> Document:
    """Return a piece as it can be found: on the shelf of the project that it was said in."""
    return Document(Passage(id, text, kind=TRANSCRIPT, origin=session), shelf_of(project), moment)
