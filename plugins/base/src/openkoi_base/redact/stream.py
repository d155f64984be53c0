"""Mask secrets in streamed text, including those that span several chunks, in constant memory."""

from functools import cache

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .assignments import unfinished_start
from .formats import formats
from .hints import HINTS
from .keywords import lower_text
from .redactor import UNSPACED, Redactor, Span, mask_spans

CONTEXT_CHARACTERS = 16 * 1024  # before and after a position; a private key of 8,192 bits takes 6,400
WINDOW_CHARACTERS = 512 * 1024  # masked at once
MAX_BREAK_FACTOR = 2  # line breaks make a value at most this many times longer (estimate)
WORD = lazy_pattern(r"[a-z-]{4,}")
TO_LAST_WORD_END = lazy_pattern(f"(?s:.*)[ {UNSPACED}]")
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"


@cache
def words_before_secrets() -> frozenset[str]:
    """Return the words that may precede a secret on the same line; a pattern of them takes 10 ms to compile."""
    words = {word for one in formats() for word in one.keywords if WORD.fullmatch(word)}
    return frozenset({*HINTS, *words, "echo", "zip", "bcp", "7z"})


def safe_cut(text: str, redact: Redactor) -> int:
    """Return where an unfinished text can be cut without splitting a secret, or separating it from its name.

    That is behind its last word, or the start of that line if a secret's name is in it, or before an entry without its
    value, an unfinished private key or a known value of several words.
    """
    end = find_last_word(text)
    line = text.rfind("\n", 0, end) + 1
    lower = lower_text(text[line:end])
    if any(word in lower for word in words_before_secrets()):
        end = line
    end = unfinished_start(text, end)
    end = redact.partial_start(text[:end])
    key = text.rfind(KEY_BEGINS, 0, end)
    return key if key >= 0 and KEY_ENDS not in text[key:end] and end - key < CONTEXT_CHARACTERS else end


def find_last_word(text: str) -> int:
    """Return where the last word starts: after a space, or after a letter of a script without spaces."""
    if text.isascii():
        return text.rfind(" ") + 1
    found = TO_LAST_WORD_END.match(text)
    return found.end() if found else 0


def outside_secret(text: str, at: int, redact: Redactor) -> tuple[int, int]:
    """Return where a text can be cut near a position without splitting a secret."""
    first = max(0, at - CONTEXT_CHARACTERS)
    spans = redact.spans(text[first : at + CONTEXT_CHARACTERS])
    return next(((first + start, first + end) for start, end in spans if start < at - first < end), (at, at))


class StreamRedactor:
    """Takes a text in pieces and returns it without secrets, a little later; ``finish`` returns the rest."""

    def __init__(self, redact: Redactor) -> None:
        self.redact = redact
        self.near = max(CONTEXT_CHARACTERS, MAX_BREAK_FACTOR * redact.forms.longest)
        self.text = ""
        self.given = 0
        self.last: tuple[str, list[Span]] = "", []

    def add(self, piece: str) -> str:
        """Add the next piece; return the text that is certain so far."""
        self.text += piece
        certain = []
        while len(self.text) - self.near - self.given >= WINDOW_CHARACTERS:
            certain.append(self.take(self.given + WINDOW_CHARACTERS))
        return "".join(certain)

    def finish(self) -> str:
        """Return the remaining text."""
        return self.take(len(self.text))

    def take(self, end: int) -> str:
        """Return the text up to an end, or up to the end of the secret there; keep the context."""
        first = self.given
        spans = [(max(0, start - first), last - first) for start, last in self.spans(end + self.near) if last > first]
        before = [span for span in spans if span[0] < end - first]
        end = max([end, *(last + first for _, last in before)])
        masked = mask_spans(before, self.text[first:end])
        cut = max(0, end - self.near)
        self.text, self.given = self.text[cut:], end - cut
        return masked

    def spans(self, end: int) -> list[Span]:
        """Return the positions of secrets up to an end. Repeated lines, as of ``yes``, are examined once."""
        seen = self.text[:end]
        if seen != self.last[0]:
            self.last = seen, self.redact.spans(seen)
        return self.last[1]
