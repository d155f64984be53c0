"""Extract JSON objects from a model's response.

One pass without recursion: an object that is nested too deeply, and everything after it, is ignored.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, loads

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

MAX_DEPTH = 32
MAX_OBJECTS = 16
REASONING = lazy_pattern(r"\A([^{]*?)<(think|thinking|reasoning)>.*?(?:</\2>|\Z)", re.DOTALL | re.IGNORECASE)
OPENING = lazy_pattern(r"""(?P<inside>["']\s*:\s*)?\{(?=\s*(?:["'/]|\w+\s*:))""")
TOKEN = lazy_pattern(r'"(?:[^"\\]|\\.)*+\\?(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)|[{}\[\]]', re.DOTALL)
CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class JsonCandidate:
    """The text of an object; one that is not ``whole`` was truncated and is closed after its last complete part."""

    text: str
    whole: bool = True


def strip_reasoning(answer: str) -> str:
    """Remove the reasoning before an answer, and unwrap one that is a JSON string."""
    return REASONING.sub(r"\1", unwrap_string(answer), count=1)


def find_candidates(text: str) -> Iterator[JsonCandidate]:
    """Yield the outermost objects in order; nothing inside a damaged object counts as an answer of its own."""
    position = 0
    for _ in range(MAX_OBJECTS):
        opening = OPENING.search(text, position)
        if not opening or opening["inside"]:
            return
        found = cut_object(text, opening.end() - 1)
        if not found:
            return
        candidate, position = found
        yield candidate


def unwrap_string(answer: str) -> str:
    """Unwrap an answer that is one JSON string."""
    text = answer.strip().strip("\ufeff")
    if not text.startswith('"'):
        return text
    try:
        return str(loads(text))
    except JSONDecodeError:
        return text


def cut_object(text: str, start: int) -> tuple[JsonCandidate, int] | None:
    """Return the object at ``start`` and where it ends, or None when it is too deep or its brackets do not match."""
    awaited: list[str] = []
    complete = ""
    for token in TOKEN.finditer(text, start):
        if token[0] in CLOSING:
            awaited.append(CLOSING[token[0]])
        elif token[0] in ("}", "]"):
            if awaited.pop() != token[0]:
                return None
            complete = text[start : token.end()] + "".join(reversed(awaited))
        if not awaited:
            return JsonCandidate(complete), token.end()
        if len(awaited) > MAX_DEPTH:
            return None
    return JsonCandidate(complete, whole=False), len(text)
