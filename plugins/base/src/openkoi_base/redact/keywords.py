"""Look for many words at once, in capitals or not. Knows words and places; knows no secret."""

import re
from collections.abc import Sequence


def lowered(text: str) -> str:
    """The text in small letters, as long as it was: a few letters of Turkish have longer small ones, and stay."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def any_of(words: Sequence[str]) -> str:
    """An expression for the longest of some words at a place, with what they begin with in common written once."""
    rest: dict[str, list[str]] = {}
    for word in words:
        if word:
            rest.setdefault(word[0], []).append(word[1:])
    found = "|".join(re.escape(first) + any_of(tails) for first, tails in rest.items())
    return f"(?:{found})?" if found and "" in words else f"(?:{found})"
