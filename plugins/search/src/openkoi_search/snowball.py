"""Load the English stemmer alone, out of a package with those of thirty languages.

Importing the package imports them all, which takes longer than a search. So its folder is searched under this module's
name, as a package's ``__path__`` allows.
"""

from importlib.util import find_spec
from typing import Protocol

PACKAGE = find_spec("snowballstemmer")
__path__ = list(PACKAGE.submodule_search_locations or ()) if PACKAGE else []


class Stemmer(Protocol):
    """A stemmer. It has a state: two threads must not share one."""

    def stemWord(self, word: str) -> str:
        """Return the stem of a word in lower case."""


def make_english_stemmer() -> Stemmer:
    """Return a stemmer of English."""
    from .snowball.english_stemmer import EnglishStemmer  # type: ignore[import-not-found]  # found at run time

    stemmer: Stemmer = EnglishStemmer()
    return stemmer
