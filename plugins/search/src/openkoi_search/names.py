"""Find the names in a question: people, places and things, numbers, and identifiers."""

from itertools import chain

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .words import STOP_WORDS, index_terms

NAME = lazy_pattern(r"[^\W\d_][\w'\u2019./:-]*|\d[\w./:-]*")
POSSESSIVE = lazy_pattern(r"['\u2019]s?$")
INNER = lazy_pattern(r"[_/:.]\w|[a-z][A-Z]")


def find_names(text: str) -> list[str]:
    """Return the names in a text, each once, stemmed in the same way as words."""
    found = (POSSESSIVE.sub("", token.rstrip("./:-")) for token in NAME.findall(text))
    stems = chain.from_iterable(index_terms(token) for token in found if looks_like_name(token))
    return list(dict.fromkeys(stems))


def looks_like_name(token: str) -> bool:
    """Return whether a token looks like a name: a capital, a digit, or joined parts."""
    if token.lower() in STOP_WORDS:
        return False
    return token[:1].isupper() or token[:1].isdigit() or bool(INNER.search(token))
