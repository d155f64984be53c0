"""The stemmer of English alone, out of the package that brings those of thirty languages.

Importing the package imports them all, which takes longer than a search. So its folder is looked into under this
module's name, as a package's ``__path__`` allows.
"""

from importlib.util import find_spec
from typing import Protocol

PACKAGE = find_spec("snowballstemmer")
__path__ = list(PACKAGE.submodule_search_locations or ()) if PACKAGE else []


class Stemmer(Protocol):
    """What tells a word's stem. It has a state: two threads must not share one."""

    def stemWord(self, word: str) -> str:
        """The stem of a word in small letters."""


def english() -> Stemmer:
    """A stemmer of English."""
    from .snowball.english_stemmer import EnglishStemmer  # type: ignore[import-not-found]  # found at run time

    made: Stemmer = EnglishStemmer()
    return made
