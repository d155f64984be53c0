"""Cut JSON objects out of what a model said. Knows brackets, strings and comments; knows nothing of what they mean.

Works in one pass, without recursion: an object that is nested too deeply, and whatever follows it, is not looked at.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError, loads

DEPTH = 32
MOST = 16
REASONING = re.compile(r"\A([^{]*?)<(think|thinking|reasoning)>.*?(?:</\2>|\Z)", re.DOTALL | re.IGNORECASE)
OPENING = re.compile(r"""(?P<inside>["']\s*:\s*)?\{(?=\s*(?:["'/]|\w+\s*:))""")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+\\?(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)|[{}\[\]]', re.DOTALL)
CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """The text of an object. One that is not ``whole`` was cut off, and is closed after its last complete part."""

    text: str
    whole: bool = True


def answer(said: str) -> str:
    """Leave out the reasoning before an answer, and open one that is a JSON string."""
    return REASONING.sub(r"\1", unwrapped(said), count=1)


def candidates(text: str) -> Iterator[Candidate]:
    """Give the outermost objects in the order in which they were said.

    What stands inside an object that is damaged at its beginning is not taken for an answer of its own.
    """
    position = 0
    for _ in range(MOST):
        opening = OPENING.search(text, position)
        if not opening or opening["inside"]:
            return
        found = cut(text, opening.end() - 1)
        if not found:
            return
        candidate, position = found
        yield candidate


def unwrapped(said: str) -> str:
    """Open an answer that is one JSON string."""
    text = said.strip().strip("\ufeff")
    if not text.startswith('"'):
        return text
    try:
        return str(loads(text))
    except JSONDecodeError:
        return text


def cut(text: str, start: int) -> tuple[Candidate, int] | None:
    """Cut out the object at ``start``, and say where it ends. None: too deep, or its brackets do not match."""
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
            return Candidate(complete), token.end()
        if len(awaited) > DEPTH:
            return None
    return Candidate(complete, whole=False), len(text)
