"""A text as a line of words that SQLite's full-text search can index: names whole and in parts, filler left out.

``src/user_name.py`` becomes ``srcusernamepy src user name py``. Stemming and accents are SQLite's own work.
"""

import re
from collections.abc import Iterator

LONGEST = 64
IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
CHUNK = re.compile(rf"[{IDEOGRAPHS}]|[^\W{IDEOGRAPHS}]+(?:[-./\\:@]+[^\W{IDEOGRAPHS}]+)*")
PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]|\d+")
SEPARATORS = re.compile(r"[\W_]+")
FILLER_WORDS = """
a about after all also am an and any are as at be because been before being both but by can could did do does
doing down during each few for from further had has have having he her here hers him his how i if in into is it
its just like may me might more most my no nor not of off on once only or other our out over own please same
she should so some such than that the their them then there these they this those through to too under until up
us very was we were what when where which while who whom why will with would you your s t d ll ve re don isn
doesn didn wasn aren couldn shouldn wouldn
"""
FILLER = frozenset(FILLER_WORDS.split())


def line_of(text: str) -> str:
    """The words of a text as one line, in order, as often as they occur."""
    return " ".join(words(text))


def words(text: str) -> Iterator[str]:
    """The words of a text that say something."""
    for chunk in CHUNK.findall(text):
        yield from (word for word in forms(chunk) if word not in FILLER and len(word) <= LONGEST)


def forms(chunk: str) -> list[str]:
    """A chunk as one word in small letters and, when it is made of several, each of them."""
    whole = SEPARATORS.sub("", chunk).lower()
    parts = [piece.lower() for piece in PIECE.findall(chunk)]
    return [whole] if len(parts) < 2 else [whole, *parts]
