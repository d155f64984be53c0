"""Distinguish random characters from words."""

import re
from collections import Counter
from itertools import pairwise
from math import log2

from openkoi_hookspecs.lazy_pattern import lazy_pattern

DIGIT = lazy_pattern(r"\d")
HEX = lazy_pattern(r"[0-9a-f-]+|[0-9A-F-]+")
NAMED_HASH = lazy_pattern(  # keys of caches, containers and pods: words, then a hash
    r"(?=[A-Za-z])(?:[A-Za-z0-9]{1,16}[-_.~])+(?:[0-9a-f]{32,}|[0-9a-f]{7,10}-[a-z0-9]{5}|[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}|[bcdfghkmt2-9]{10})"
)

WORDS = lazy_pattern(r"[a-z]{0,15}(?:[A-Z][a-z]{1,15})*|[A-Z]{0,15}")  # as names in code are written


def are_words(text: str) -> bool:
    """Return whether a string consists of words joined as in a name, and is not generated."""
    return all(map(WORDS.fullmatch, re.split("[_-]", text)))


def entropy(text: str) -> float:
    """Return Shannon's entropy in bits per character."""
    size = len(text)
    return -sum(n / size * log2(n / size) for n in Counter(text).values()) if size else 0.0


def kind_of(letter: str) -> str:
    """Return the class of a character: digit, lower case, upper case or other."""
    return "0" if letter.isdigit() else "a" if letter.islower() else "A" if letter.isupper() else "-"


def kind_changes(text: str) -> float:
    """Return how often adjacent letters and digits differ in class: base62 0.6, base36 0.4, camelCase below 0.3."""
    kinds = [kind_of(letter) for letter in text if letter.isalnum()]
    return sum(a != b for a, b in pairwise(kinds)) / max(1, len(kinds) - 1)


def is_random(text: str, *, length: int = 16) -> bool:
    """Return whether a string is long and mixed enough to be generated: base62, base64 or long hex."""
    if len(text) < length or not DIGIT.search(text) or len({kind_of(letter) for letter in text} - {"-"}) < 2:
        return False
    if HEX.fullmatch(text):
        return len(text) >= 32 and entropy(text) > 2.8
    return kind_changes(text) >= 0.3 and entropy(text) >= 3.3
