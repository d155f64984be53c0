"""What two texts have in common, and what sets them apart: stems on one side, exact details on the other."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import sqrt

from openkoi_search.words import stem

WORD = re.compile(r"[^\W_]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*%?")
IDENTIFIER = re.compile(r"`[^`]+`|(?<!\w)--?[a-z][\w-]+|\w+(?:[./:\\_]+\w+)+(?:\(\))?|[a-z]+[A-Z]\w*|\b[A-Z]+\d+\b")
ASSIGNED = re.compile(r"^[\w.\- ]+\s*[=:]\s*(?=\S)")
NEGATION = re.compile(
    r"\b(?:not|never|no|none|without|avoid|stop|instead|except|unless|only|cannot|forbid(?:den)?)\b|n't\b",
    re.IGNORECASE,
)
FUNCTION_WORDS = """
a about after again all also an and any are as at be because been before being but by can could did do does doing done
for from get had has have here how i if in into is it its just let like may me more most my of on once one or other
our out over own per please same should so some such than that the their them then there these they this those through
to too until up us use used uses using very was we were what when where which while who why will with would you your
"""
SILENT = frozenset(FUNCTION_WORDS.split())
ADVISING_WORDS = """
add always apply avoid change choose correct do ensure fix give go keep make mend must need never pick prefer put
remember replace right set should switch take try turn write wrong
"""
LONGEST = 400
RARE = 6.0


@dataclass(frozen=True, slots=True)
class Tongue:
    """How people speak in a project: the words ``heard`` in tasks and titles, and how much each word of what was
    learned says, the rarer the more; ``usual`` is what one says that was never used. ``checks`` are those that are
    about one thing each, as a single test is and a whole build is not."""

    heard: frozenset[str] = frozenset()
    weights: Mapping[str, float] = field(default_factory=dict)
    usual: float = 0.0
    checks: frozenset[str] = frozenset()


PLAIN = Tongue()


@dataclass(frozen=True, slots=True)
class Details:
    """What must agree for two sentences to say the same: numbers, identifiers, and how often it is denied."""

    numbers: frozenset[str]
    identifiers: frozenset[str]
    denied: bool


@lru_cache(maxsize=16_384)
def terms(text: str) -> frozenset[str]:
    """Return the stems of the words that say something; identifiers also in parts."""
    parts = (part.lower() for word in WORD.findall(text) for part in {word, *HUMP.split(word)})
    return frozenset(stem(part) for part in parts if part not in SILENT)


@cache
def advising() -> frozenset[str]:
    """Return the stems of words that any advice may have."""
    return frozenset(stem(word) for word in ADVISING_WORDS.split())


@lru_cache(maxsize=16_384)
def details(text: str) -> Details:
    """Return what a paraphrase may not change."""
    identifiers = frozenset(bare(found) for found in IDENTIFIER.findall(text))
    return Details(frozenset(NUMBER.findall(text)), identifiers, bool(NEGATION.search(text)))


def bare(name: str) -> str:
    """A name without marks; of an assignment, what is assigned."""
    return ASSIGNED.sub("", name.strip("`")).strip("\"' ,;").lower()


def differ(one: str, other: str) -> bool:
    """Whether a number, an identifier or a negation sets two texts apart, however much else they share.

    What is marked as a name in one and stands there unmarked in the other is no difference.
    """
    mine, theirs = details(one), details(other)
    if (mine.numbers, mine.denied) != (theirs.numbers, theirs.denied):
        return True
    return not (
        named_in(mine.identifiers - theirs.identifiers, other) and named_in(theirs.identifiers - mine.identifiers, one)
    )


def named_in(names: Collection[str], text: str) -> bool:
    """Whether names stand in a text, as words of their own."""
    return all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) for name in names)


def payload(text: str, tongue: Tongue) -> frozenset[str]:
    """Return the words of an advice that say what to do: none that tasks and titles have, and none that any has."""
    return terms(text) - advising() - tongue.heard


def agree(one: str, other: str, tongue: Tongue) -> bool:
    """Return whether two pieces of advice say the same in words that no task and no title contains."""
    mine, theirs = payload(one, tongue), payload(other, tongue)
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)


def contradict(one: str, other: str, tongue: Tongue) -> bool:
    """Return whether two pieces of advice on one thing say different things."""
    if (apart := differ(one, other)) or has_name(one):
        return apart
    said, told = (payload(each, tongue) or terms(each) - advising() for each in (one, other))
    return not (said <= told or told <= said)


def has_name(text: str) -> bool:
    """Return whether a text contains a name or a number."""
    return bool(details(text).identifiers or details(text).numbers)


def topic_similarity(one: str, other: str, tongue: Tongue) -> float:
    """Return how much two texts are about the same thing, whatever they say about it: 0.0 to 1.0."""
    mine, theirs = (terms(frame(text)) - payload(text, tongue) for text in (one, other))
    if not any(tongue.weights.get(word, 0.0) >= tongue.usual / RARE for word in mine & theirs):
        return 0.0
    return overlap(mine, theirs, tongue.weights, tongue.usual)


def frame(text: str) -> str:
    """Return a text without its numbers and identifiers: what two opinions about one thing have in common."""
    return NUMBER.sub(" ", IDENTIFIER.sub(" ", text))


def alike(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, 0.0 to 1.0."""
    mine, theirs = terms(one), terms(other)
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


def keys_in(text: str) -> tuple[str, ...]:
    """Return the files, options, error codes and names that a text is about."""
    return tuple(sorted(details(text[:LONGEST]).identifiers))


def overlap(mine: Collection[str], theirs: Collection[str], weights: Mapping[str, float], usual: float = 1.0) -> float:
    """Return how much two sets of words mean the same thing, rare words counting for more: 0.0 to 1.0."""
    shared = sum(weights.get(word, usual) for word in set(mine) & set(theirs))
    size = sqrt(sum(weights.get(w, usual) for w in mine) * sum(weights.get(w, usual) for w in theirs))
    return shared / size if size else 0.0
