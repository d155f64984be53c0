"""Detect advice that paraphrases a passage of prose that was read.

Code does not count: advice only has names in common with code, and a genuine fix often uses those. Words cannot decide
whether advice restates a passage in synonyms or in another language, but names show which passages it may restate.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import pairwise

from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_search.words import STOP_WORDS, UNSPACED, split_tokens, stem

from .content import names_of

MARKS = r"[*_`'\"“”]*"
PLAIN_WORD = rf"{MARKS}[^\W\d_]+(?:['-][^\W\d_]+)*{MARKS}"
# Three plain words in a row, or as many characters as three words in scripts without spaces.
PROSE = lazy_pattern(rf"(?<![^\s|#/]){PLAIN_WORD}[ \t]+{PLAIN_WORD}[ \t]+{PLAIN_WORD}(?!\w)|[{UNSPACED}]{{6}}")
COMMENT = lazy_pattern(r"(?:#|//|/\*|<!--|--\s|\"\"\"|''').*")
CODE = lazy_pattern(r"[=(){}\[\]<>;]|\bimport\b|:$")
LINE_NUMBER = lazy_pattern(r"^\s*\d+\|")  # as `read_file` prints it
# Of an advice's own words that a passage explains (estimates, chosen on the repairs and documents of the tests).
MIN_EXPLAINED_WORDS, MIN_EXPLAINED_SHARE = 2, 0.4
MAX_CACHED_SOURCES = 64  # which may be whole files


def paraphrases(advice: str, sources: Iterable[str], known: Collection[str] = ()) -> bool:
    """Return whether advice could come from a passage of a source; ``known`` words do not count.

    A paraphrase keeps at least one of the advice's own names, and all if the advice says nothing else.
    """
    own = whole_words(advice) - set(known)
    names = own & name_words(advice)
    wanted = len(own) if own == names else max(MIN_EXPLAINED_WORDS, MIN_EXPLAINED_SHARE * len(own))
    passages = (passage for source in sources for passage in read_passages(source))
    return bool(own) and any(
        len(own & passage) >= wanted and (not names or bool(names & passage)) for passage in passages
    )


def may_paraphrase(advice: str, sources: Iterable[str], known: Collection[str] = ()) -> bool:
    """Return whether an advice may paraphrase a passage in any words: it names nothing, or a name in the passage."""
    names = name_words(advice) - set(known)
    passages = (passage for source in sources for passage in read_passages(source))
    return any(not names or names & passage for passage in passages)


def name_words(advice: str) -> frozenset[str]:
    """Return the words of the names and numbers in an advice."""
    return frozenset(word for name in names_of(advice) for word in whole_words(name))


@lru_cache(maxsize=MAX_CACHED_SOURCES)
def read_passages(source: str) -> tuple[frozenset[str], ...]:
    """Return the words of each two consecutive lines, apart from code: sentences span lines."""
    lines = [whole_words(prose_in(LINE_NUMBER.sub("", line))) for line in source.splitlines()]
    return tuple(one | other for one, other in pairwise((frozenset(), *lines, frozenset())) if one or other)


def prose_in(line: str) -> str:
    """Return a line if it has words in a row or no sign of code, as the end of a sentence; else its comment."""
    if PROSE.search(line) or not CODE.search(line):
        return line
    comment = COMMENT.search(line)
    return comment[0] if comment else ""


def whole_words(text: str) -> frozenset[str]:
    """Return the significant words of a text, with names whole: their parts may be those of any sentence."""
    return frozenset(stem(word) for token in split_tokens(text) if (word := token.lower()) not in STOP_WORDS)
