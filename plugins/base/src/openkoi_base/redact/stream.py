"""Mask a text that comes in pieces, also what is spread over several. Memory stays the same however long it is."""

import re
from functools import cache

from .assignments import HINTS, unfinished
from .formats import formats
from .keywords import any_of, lowered
from .redactor import Redactor, Span, without

NEAR = 16 * 1024  # characters: what is looked at before and after a place; a private key of 8,192 bits takes 6,400
WINDOW = 512 * 1024  # characters that are masked at once
BROKEN = 2  # a value that is broken into lines is at most this much longer
WORD = re.compile(r"[a-z-]{4,}")
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"


@cache
def before_secret() -> re.Pattern[str]:
    """Return an expression for what a secret may follow in the same line, after a space."""
    words = {word for one in formats() for word in one.keywords if WORD.fullmatch(word)}
    return re.compile(any_of(sorted({*HINTS, *words, "echo", "zip", "bcp", "7z"})))


def settled(text: str, redact: Redactor) -> int:
    """Where a text that goes on can be cut without cutting a secret in two, or off from the name that gives it away.

    That is at its last space, or at the beginning of that line where a name of a secret is in it, or before an entry
    whose value has not come yet, a private key that has not ended or a held value of several words.
    """
    end = text.rfind(" ") + 1
    line = text.rfind("\n", 0, end) + 1
    if before_secret().search(lowered(text[line:end])):
        end = line
    end = unfinished(text, end)
    end = redact.begun(text[:end])
    key = text.rfind(KEY_BEGINS, 0, end)
    return key if key >= 0 and KEY_ENDS not in text[key:end] and end - key < NEAR else end


def outside_secret(text: str, at: int, redact: Redactor) -> tuple[int, int]:
    """Where a text can be cut near a place without leaving half a secret: before and after the secret that is there."""
    first = max(0, at - NEAR)
    spans = redact.spans(text[first : at + NEAR])
    return next(((first + start, first + end) for start, end in spans if start < at - first < end), (at, at))


class StreamRedactor:
    """Takes a text in pieces and gives it back without secrets, a little later; ``finish`` gives the rest."""

    def __init__(self, redact: Redactor) -> None:
        self.redact = redact
        self.near = max(NEAR, BROKEN * redact.forms.longest)
        self.text = ""
        self.given = 0
        self.last: tuple[str, list[Span]] = "", []

    def add(self, piece: str) -> str:
        """Take the next piece; return what is certain by now."""
        self.text += piece
        certain = []
        while len(self.text) - self.near - self.given >= WINDOW:
            certain.append(self.take(self.given + WINDOW))
        return "".join(certain)

    def finish(self) -> str:
        """Return all that is left."""
        return self.take(len(self.text))

    def take(self, end: int) -> str:
        """Return what has not been given up to an end, or up to that of the secret there; keep what is near it."""
        first = self.given
        spans = [(max(0, start - first), last - first) for start, last in self.spans(end + self.near) if last > first]
        before = [span for span in spans if span[0] < end - first]
        end = max([end, *(last + first for _, last in before)])
        masked = without(before, self.text[first:end])
        cut = max(0, end - self.near)
        self.text, self.given = self.text[cut:], end - cut
        return masked

    def spans(self, end: int) -> list[Span]:
        """Where secrets are up to an end. What repeats, as ``yes`` does, is looked at once."""
        seen = self.text[:end]
        if seen != self.last[0]:
            self.last = seen, self.redact.spans(seen)
        return self.last[1]
