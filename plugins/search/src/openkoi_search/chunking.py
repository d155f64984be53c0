"""Split the texts of a run into chunks that can be found: the model's responses and the user's answers.

Output of tools is excluded: it is long, and untrusted. The task's text is in its summary. So recalled texts are never
indexed again.
"""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Event
from openkoi_hookspecs.events import ModelResponse, QuestionAnswered
from openkoi_hookspecs.lazy_pattern import lazy_pattern

MIN_CHARACTERS, MAX_CHARACTERS, MAX_CHUNKS = 24, 800, 50  # characters per chunk, and chunks per text (estimates)
BREAK = lazy_pattern(r"\n\s*\n|(?<=[.!?])\s+|\n")


def searchable_text(event: Event) -> str:
    """Return the text of an event that is worth finding."""
    match event:
        case ModelResponse(response=reply, role="executor"):
            return reply.text
        case QuestionAnswered(answer=answer):
            return answer or ""
        case _:
            return ""


def split_chunks(text: str) -> Sequence[str]:
    """Split a text into chunks; short ones are dropped because they mean little on their own."""
    return [piece for piece in split_text(text.strip()) if len(piece) >= MIN_CHARACTERS][:MAX_CHUNKS]


def split_text(text: str) -> Iterator[str]:
    """Split at the end of a paragraph, else of a sentence, else anywhere."""
    start = 0
    while len(text) - start > MAX_CHARACTERS:
        breaks = [
            break_.start() for break_ in BREAK.finditer(text, start + MAX_CHARACTERS // 2, start + MAX_CHARACTERS)
        ]
        end = breaks[-1] if breaks else start + MAX_CHARACTERS
        yield text[start:end].strip()
        start = end
    yield text[start:].strip()
