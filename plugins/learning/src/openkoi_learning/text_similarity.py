"""Compare two texts: stems on one side, exact details on the other."""

import re
from collections.abc import Collection, Mapping
from dataclasses import field
from functools import cache, lru_cache
from math import sqrt

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_search.words import stem

WORD = lazy_pattern(r"[^\W_]+")
HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
NUMBER = lazy_pattern(r"(?<![\w.])\d+(?:[.,:]\d+)*%?")
IDENTIFIER = lazy_pattern(r"`[^`]+`|(?<!\w)--?[a-z][\w-]+|\w+(?:[./:\\_]+\w+)+(?:\(\))?|[a-z]+[A-Z]\w*|\b[A-Z]+\d+\b")
FILE_NAME = lazy_pattern(r"[\w-]+\.[a-z]{1,5}\b(?!\()")
CODE_NAME = lazy_pattern(r"\w*[a-z0-9][A-Z]\w*|(?<!\w)_*[A-Za-z]\w*_[A-Za-z]\w*")  # CamelCase and snake_case
ASSIGNED = lazy_pattern(r"^[\w.\- ]+\s*[=:]\s*(?=\S)")
NEGATION = lazy_pattern(
    r"\b(?:not|never|no|none|without|avoid|stop|instead|except|unless|only|cannot|forbid(?:den)?)\b|n't\b",
    re.IGNORECASE,
)
FUNCTION_WORDS = """
a about after again all also an and any are as at be because been before being but by can could did do does doing done
for from get had has have here how i if in into is it its just let like may me more most my of on once one or other
our out over own per please same should so some such than that the their them then there these they this those through
to too until up us use used uses using very was we were what when where which while who why will with would you your
"""
STOP_WORDS = frozenset(FUNCTION_WORDS.split())
ADVISING_WORDS = """
add always apply avoid change choose correct do ensure fix give go keep make must need never pick prefer put
remember replace right set should switch take try turn write wrong
"""
MAX_KEY_CHARACTERS = 400
COMMON_WORD_FACTOR = 6.0  # a word of less than a sixth of an unknown one's weight is not a topic (estimate)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The vocabulary of a project.

    ``heard`` are the words in tasks and titles; ``weights`` those of the words in entries, rarer ones more; ``usual``
    is that of an unknown word. ``checks`` are about one thing each, as a single test is and a whole build is not.
    """

    heard: frozenset[str] = frozenset()
    weights: Mapping[str, float] = field(default_factory=dict)
    usual: float = 0.0
    checks: frozenset[str] = frozenset()


EMPTY_VOCABULARY = Vocabulary()


@dataclass(frozen=True, slots=True)
class Details:
    """What must agree for two sentences to say the same: numbers, identifiers, and whether it is denied."""

    numbers: frozenset[str]
    identifiers: frozenset[str]
    denied: bool


@lru_cache(maxsize=16_384)
def stem_terms(text: str) -> frozenset[str]:
    """Return the stems of the words that say something; identifiers also in parts."""
    parts = (part.lower() for word in WORD.findall(text) for part in {word, *HUMP.split(word)})
    return frozenset(stem(part) for part in parts if part not in STOP_WORDS)


@cache
def advising_stems() -> frozenset[str]:
    """Return the stems of words that any advice may have."""
    return frozenset(stem(word) for word in ADVISING_WORDS.split())


@lru_cache(maxsize=16_384)
def extract_details(text: str) -> Details:
    """Return what a paraphrase may not change."""
    identifiers = frozenset(strip_marks(found) for found in IDENTIFIER.findall(text))
    return Details(frozenset(NUMBER.findall(text)), identifiers, bool(NEGATION.search(text)))


def strip_marks(name: str) -> str:
    """Return a name without marks; of an assignment, the assigned value."""
    return ASSIGNED.sub("", name.strip("`")).strip("\"' ,;").lower()


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


def content_words(text: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Return the words of an advice that say what to do: neither common advice words, nor words of tasks and titles."""
    return stem_terms(text) - advising_stems() - vocabulary.heard


def agree(one: str, other: str, vocabulary: Vocabulary) -> bool:
    """Return whether two pieces of advice say the same in words that no task and no title contains."""
    mine, theirs = content_words(one, vocabulary), content_words(other, vocabulary)
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)


def contradict(one: str, other: str, vocabulary: Vocabulary) -> bool:
    """Return whether two pieces of advice on one thing say different things."""
    if (apart := details_differ(one, other)) or has_name(one):
        return apart
    left, right = (content_words(each, vocabulary) or stem_terms(each) - advising_stems() for each in (one, other))
    return not (left <= right or right <= left)


def has_name(text: str) -> bool:
    """Return whether a text contains a name or a number."""
    return bool(extract_details(text).identifiers or extract_details(text).numbers)


def topic_similarity(one: str, other: str, vocabulary: Vocabulary) -> float:
    """Return how much two texts are about the same thing, whatever they say about it: 0.0 to 1.0."""
    mine, theirs = (stem_terms(without_specifics(text)) - content_words(text, vocabulary) for text in (one, other))
    if not any(vocabulary.weights.get(word, 0.0) >= vocabulary.usual / COMMON_WORD_FACTOR for word in mine & theirs):
        return 0.0
    return weighted_overlap(mine, theirs, vocabulary.weights, vocabulary.usual)


def without_specifics(text: str) -> str:
    """Return a text without its numbers and identifiers: what two opinions about one thing have in common."""
    return NUMBER.sub(" ", IDENTIFIER.sub(" ", text))


def word_overlap(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, 0.0 to 1.0."""
    mine, theirs = stem_terms(one), stem_terms(other)
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


def keys_in(text: str) -> tuple[str, ...]:
    """Return the files, options, error codes and names that a text is about."""
    return tuple(sorted(extract_details(text[:MAX_KEY_CHARACTERS]).identifiers))


@lru_cache(maxsize=16_384)
def names_in(text: str) -> frozenset[str]:
    """Return the files and the names of code in a text, without the folders and types that they are in."""
    return frozenset(name.lower() for names in (FILE_NAME, CODE_NAME) for name in names.findall(text))


def weighted_overlap(
    mine: Collection[str], theirs: Collection[str], weights: Mapping[str, float], usual: float = 1.0
) -> float:
    """Return how much two sets of words mean the same thing, rare words counting for more: 0.0 to 1.0."""
    shared = sum(weights.get(word, usual) for word in set(mine) & set(theirs))
    size = sqrt(sum(weights.get(w, usual) for w in mine) * sum(weights.get(w, usual) for w in theirs))
    return shared / size if size else 0.0
