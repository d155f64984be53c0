"""What was said in a run, in pieces that can be found: the model's answers and a person's. Knows no database.

What tools printed is left out: it is long, and comes from strangers. What was asked for is in what a task is
remembered by. So nothing that was recalled is ever said again here.
"""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Event
from openkoi_hookspecs.events import ModelResponse, QuestionAnswered

SHORTEST, LONGEST, MOST = 24, 800, 50
SEAM = re.compile(r"\n\s*\n|(?<=[.!?])\s+|\n")


def searchable_text(event: Event) -> str:
    """Return the text of an event that is worth finding."""
    match event:
        case ModelResponse(response=reply, role="executor"):
            return reply.text
        case QuestionAnswered(answer=answer):
            return answer or ""
        case _:
            return ""


def pieces(text: str) -> Sequence[str]:
    """A text in pieces of a length; what is short says nothing alone."""
    return [piece for piece in split_text(text.strip()) if len(piece) >= SHORTEST][:MOST]


def split_text(text: str) -> Iterator[str]:
    """Split at the end of a paragraph, else of a sentence, else anywhere."""
    start = 0
    while len(text) - start > LONGEST:
        seams = [seam.start() for seam in SEAM.finditer(text, start + LONGEST // 2, start + LONGEST)]
        end = seams[-1] if seams else start + LONGEST
        yield text[start:end].strip()
        start = end
    yield text[start:].strip()
