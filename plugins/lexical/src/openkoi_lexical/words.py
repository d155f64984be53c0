"""The words of a text and of the identifiers in it, and the pieces of words. Knows no language and no numbers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

RUN = re.compile(r"\w+")
PART = re.compile(r"U+(?=Ul)|U?l+|U+|d+")
GRAM = 4


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
    """Split at underscores, digits and humps."""
    shape = "".join(map(kind, run))
    return [run[slice(*part.span())].casefold() for part in PART.finditer(shape)]


def kind(character: str) -> str:
    """Tell capitals, digits and underscores from letters of any other kind."""
    if character.isupper():
        return "U"
    return "d" if character.isdigit() else "_" if character == "_" else "l"


def pieces(word: str) -> list[str]:
    """Cut a word into runs of four characters, its ends marked."""
    marked = f"<{word}>"
    return [marked[start : start + GRAM] for start in range(max(1, len(marked) - GRAM + 1))]


def counted(text: str) -> Mapping[str, int]:
    """Count the words of a text; one that has no word is a word as a whole."""
    return Counter(words(text)) or Counter([text.strip()])
