"""Split texts into words, identifiers and word pieces."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from openkoi_hookspecs.lazy_pattern import lazy_pattern

RUN = lazy_pattern(r"\w+")
PART = lazy_pattern(r"U+(?=Ul)|U?l+|U+|d+")
PIECE_CHARACTERS = 4


def words(text: str) -> Iterator[str]:
    """List the words in lower case; an identifier is a word, and so is each of its parts."""
    for run in RUN.findall(unicodedata.normalize("NFKC", text)):
        whole = run.replace("_", "").casefold()
        if whole:
            yield whole
        parts = [] if run.isalpha() and run.islower() else identifier(run)
        if len(parts) > 1:
            yield from parts


def identifier(run: str) -> list[str]:
    """Split an identifier at underscores, digits and capitals (camelCase)."""
    shape = "".join(map(kind, run))
    return [run[slice(*part.span())].casefold() for part in PART.finditer(shape)]


def kind(character: str) -> str:
    """Return the kind of a character: capital, digit, underscore, or another letter."""
    if character.isupper():
        return "U"
    return "d" if character.isdigit() else "_" if character == "_" else "l"


def pieces(word: str) -> list[str]:
    """Cut a word into runs of four characters, its ends marked."""
    marked = f"<{word}>"
    return [marked[start : start + PIECE_CHARACTERS] for start in range(max(1, len(marked) - PIECE_CHARACTERS + 1))]


def count_words(text: str) -> Mapping[str, int]:
    """Count the words of a text; a text without words counts as one word."""
    return Counter(words(text)) or Counter([text.strip()])
