"""Find the details of a text that a paraphrase must not change: numbers, identifiers and negations."""

import re
from collections.abc import Collection
from functools import lru_cache

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_search.words import index_terms

WORD = lazy_pattern(r"[^\W_]+")
NUMBER = lazy_pattern(r"(?<![\w.])\d+(?:[.,:]\d+)*%?")
MARKED = r"`[^`]+`|(?<!\w)--?[a-z][\w-]+|(?<!\w)'[^'\n]{1,40}'(?!\w)|(?<!\w)\"[^\"\n]{1,40}\"(?!\w)|“[^”\n]{1,40}”"
MARKED_NAME = lazy_pattern(MARKED)
IDENTIFIER = lazy_pattern(rf"{MARKED}|\w+(?:[./:\\_]+\w+)+(?:\(\))?|(?<!\w)[A-Za-z]*[a-z][A-Z]\w*|\b[A-Z]+\d+\b")
FILE_NAME = lazy_pattern(r"(?!(?:e\.g|i\.e|[ap]\.m)\b)(?<![\w-])(?=[\w-]*[A-Za-z])[\w-]+\.[A-Za-z]{1,5}\b(?!\()")
WEB_ADDRESS = lazy_pattern(r"\bhttps?://\S+|\bwww\.\S+")
CODE_NAME = lazy_pattern(r"\w*[a-z0-9][A-Z]\w*|(?<!\w)_*[A-Za-z]\w*_[A-Za-z]\w*")  # CamelCase and snake_case
ASSIGNED = lazy_pattern(r"^ *+[\w.\-]++(?: ++[\w.\-]++)*+\s*+[=:](?!=)\s*(?=\S)")
DENYING = r"not|never|no|without|avoid|stop|instead|except|unless|cannot|forbid(?:den)?"
NEGATION = lazy_pattern(rf"(?<![\w-])(?:{DENYING}|none|only)(?![\w-])|n't\b", re.IGNORECASE)
DENIAL = lazy_pattern(rf"(?<![\w-])(?:{DENYING}|rather)(?![\w-])|n't\b", re.IGNORECASE)  # `never-restart` is a name
CLAUSE = lazy_pattern(r"[.;,](?=\s|$)|\bbut\b", re.IGNORECASE)
MAX_KEY_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Details:
    """The details in which two sentences must agree to be equivalent: numbers, identifiers and negation."""

    numbers: frozenset[str]
    identifiers: frozenset[str]
    denied: bool


@lru_cache(maxsize=4_096)
def extract_details(text: str) -> Details:
    """Return what a paraphrase may not change."""
    identifiers = frozenset(strip_marks(found) for found in IDENTIFIER.findall(text))
    return Details(frozenset(NUMBER.findall(text)), identifiers, bool(NEGATION.search(text)))


@lru_cache(maxsize=4_096)
def marked_names(text: str) -> frozenset[str]:
    """Return the names that a text marks: in quotes or backticks, or as options."""
    return frozenset(strip_marks(found) for found in MARKED_NAME.findall(text)) - {""}


def affirmed_text(text: str) -> str:
    """Return what a text advises, without what it rejects: ``use a`` from ``use a instead of b``."""
    return ", ".join(filter(None, (DENIAL.split(clause)[0].strip() for clause in CLAUSE.split(text))))


def strip_marks(name: str) -> str:
    """Return a name without marks; of an assignment, the assigned value."""
    return ASSIGNED.sub("", name.strip("`'\"“”")).strip("`\"' ,;").lower()


def details_differ(one: str, other: str) -> bool:
    """Return whether a number, an identifier or a negation distinguishes two texts.

    A name that is marked in one and unmarked in the other makes no difference.
    """
    mine, theirs = extract_details(one), extract_details(other)
    if (mine.numbers, mine.denied) != (theirs.numbers, theirs.denied):
        return True
    return not (
        contains_names(mine.identifiers - theirs.identifiers, other)
        and contains_names(theirs.identifiers - mine.identifiers, one)
    )


def contains_names(names: Collection[str], text: str) -> bool:
    """Return whether a text contains names as words of their own."""
    return all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) for name in names)


def word_overlap(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, 0.0 to 1.0."""
    mine, theirs = set(index_terms(one)), set(index_terms(other))
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


def keys_in(text: str) -> tuple[str, ...]:
    """Return the files, options, error codes and names that a text is about."""
    return tuple(sorted(extract_details(shorten_words(text)).identifiers))


def shorten_words(text: str) -> str:
    """Return as many whole words from the start of a text as fit into a key."""
    return text if len(text) <= MAX_KEY_CHARACTERS else text[: MAX_KEY_CHARACTERS + 1].rsplit(None, 1)[0]


@lru_cache(maxsize=1_024)
def names_in(text: str) -> frozenset[str]:
    """Return the files and the names of code in a text, without the folders and types that they are in.

    Web addresses and abbreviations such as "e.g." are not files.
    """
    text = WEB_ADDRESS.sub(" ", text) if "://" in text or "www." in text else text
    return frozenset(name.lower() for names in (FILE_NAME, CODE_NAME) for name in names.findall(text))
