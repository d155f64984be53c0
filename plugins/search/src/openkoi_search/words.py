"""A text as the words it can be found by: stemmed, without the words that say nothing, identifiers whole and in parts.

``src/user_name.py`` is found by itself and by src, user, name and py; ``parseURL`` by itself, parse and url.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

LONGEST = 64
UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
PLAIN = re.compile(r"\w+(?:[./\\:@-]+\w+)*")
PART = re.compile(r"[^\W\d_]+|\d+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
FUNCTION_WORDS = """
a about above after again all also am an and any are aren as at be because been before being below between both
but by can could couldn did didn do does doesn doing don done down during each either else ever every few for
from further get gets got had hadn has hasn have haven having he her here hers herself him himself his how
however i if in into is isn it its itself just let like ll made make makes many may me might mine more most much
must my myself neither no nor not now of off on once one only or other our ours out over own per please s same
shall she should shouldn since so some such t than that the their theirs them then there these they this those
through to too under until up upon us use used uses using ve very via was wasn we well were weren what when
where whether which while who whom whose why will with within without won would wouldn yet you your yours
"""
SILENT = frozenset(FUNCTION_WORDS.split())


def terms(text: str) -> list[str]:
    """Return the words of a text that say something, in order, as often as they occur."""
    return [stem(word) for token in tokens(text) for word in words(token) if word not in SILENT]


def tokens(text: str) -> list[str]:
    """Cut a text where words end; of scripts that do not part them every sign is one."""
    found: list[str] = (PLAIN if text.isascii() else of_any_script()).findall(text)
    return found


@cache
def of_any_script() -> re.Pattern[str]:
    """What cuts a text of any script: making it takes longer than a search."""
    return re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:[./\\:@-]+[^\W{UNSPACED}]+)*")


def words(token: str) -> Iterator[str]:
    """Return a token in small letters and, when it is made of several words, each of them."""
    whole = token.lower()
    parts = [part.lower() for piece in PART.findall(token) for part in HUMP.split(piece)]
    if len(whole) <= LONGEST:
        yield whole
    if parts != [whole]:
        yield from (part for part in parts if len(part) <= LONGEST)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return what a word has in common with its other forms; identifiers and numbers stay as they are."""
    if not word.isalpha():
        return word
    from .snowball import english

    return english().stemWord(word)
