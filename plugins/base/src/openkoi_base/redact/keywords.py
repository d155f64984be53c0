"""Search for many words at once, ignoring case."""

import re
from collections.abc import Iterator, Sequence


def lower_text(text: str) -> str:
    """Return the text in lower case at the same length: characters whose lower case is longer stay as they are."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def positions(word: str, text: str) -> Iterator[int]:
    """Yield where a word is in a text; it may overlap itself."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def any_of(words: Sequence[str]) -> str:
    """Return an expression for the longest of some words at a position, with common beginnings written once."""
    rest: dict[str, list[str]] = {}
    for word in words:
        if word:
            rest.setdefault(word[0], []).append(word[1:])
    found = "|".join(re.escape(first) + any_of(tails) for first, tails in rest.items())
    return f"(?:{found})?" if found and "" in words else f"(?:{found})"
