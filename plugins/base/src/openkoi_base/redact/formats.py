"""Detect API keys and other secrets by their format: rules of gitleaks, of ``vendors.table`` and of ``shapes.py``.

An expression runs only near a keyword of its rule: most texts need no closer look.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .keywords import any_of, lower_text, positions
from .manifests import KIND
from .randomness import are_words, entropy
from .shapes import SHAPES
from .vendors import PREFIXES

MAX_BEFORE, MAX_AFTER = 200, 4096  # maximum characters between a keyword and its secret (estimate)
REST_OF_TOKEN = lazy_pattern(r"[\w+/=.~-]*")
START = lazy_pattern(r"(?<![\w-])|(?<=\\[nrt])|(?<=\\u[\da-f]{4})")  # tried at a match: searched for, it is slow
WORD = lazy_pattern(r"\b|(?<=\\[nrt])")
CROSSES = lazy_pattern(r"[xX]{8}$")  # in place of a secret
UNKNOWN = "unknown-token"
FEW_CHARACTERS = 20_000  # in 5 ms; about as much as the log of a question
HEAVY = {"private-key", "putty-key"}  # longer than MAX_AFTER


class Format(NamedTuple):
    """A kind of secret: keywords, one of which is in every text with such a secret, and its pattern."""

    id: str
    keywords: tuple[str, ...]
    source: str
    group: int = 0
    entropy: float = 0.0
    start: re.Pattern[str] | None = None
    random: bool = True

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled on first use."""
        return compile_source(self.source)

    def find(self, text: str, hits: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
        """Yield the positions of secrets near the keywords of a text."""
        for start, end in hits:
            for found in self.pattern.finditer(text, start, end):
                if self.start and not self.start.match(text, found.start()):
                    continue
                group = self.group or min(1, self.pattern.groups)
                first, last = found.span(group) if found[group] is not None else found.span()
                if last == end:
                    rest = REST_OF_TOKEN.match(text, end)
                    last = rest.end() if rest else last
                secret = text[first:last]
                if (
                    entropy(secret) > self.entropy
                    and not (self.random and are_words(secret))
                    and not CROSSES.search(secret)
                ):
                    yield first, last, self.id


@cache
def compile_source(source: str) -> re.Pattern[str]:
    """Compile an expression once; the cache of ``re`` is too small for all of them."""
    return re.compile(source)


@cache
def formats() -> Sequence[Format]:
    """Return all formats; they are read on first use."""
    rules = json.loads(Path(__file__).with_name("gitleaks.json").read_text("utf-8"))
    ours = [Format(id, tuple(words.split()), source, start=START) for id, (words, source) in PREFIXES.items()]
    shapes = [Format(id, tuple(words.split()), source, random=False) for id, (words, source) in SHAPES.items()]
    theirs = [
        Format(
            rule["id"],
            tuple(rule["keywords"]),
            rule["pattern"],
            rule["group"],
            rule["entropy"],
            WORD if rule["word"] else None,
        )
        for rule in rules
    ]
    return (*shapes, *ours, *theirs)


@cache
def ids() -> frozenset[str]:
    """Return the ids of all formats."""
    return frozenset({UNKNOWN, KIND, *(one.id for one in formats())})


@cache
def keywords() -> "Keywords":
    """Return the keywords of all formats."""
    return Keywords(formats())


class Keywords:
    """Finds the keywords of formats: one by one at first, later in one pass, whose pattern takes 25 ms to compile."""

    def __init__(self, known: Sequence[Format]) -> None:
        self.known, self.scanned = known, 0
        self.meant: dict[str, list[int]] = {}
        for place, one in enumerate(known):
            for word in one.keywords:
                self.meant.setdefault(word, []).append(place)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression that matches before each of the longest keywords."""
        return re.compile(f"(?=({any_of(sorted(self.meant))}))")

    @cached_property
    def starting(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the formats with a keyword that is another one, or a prefix of it."""
        return {word: starting_formats(word, self.meant) for word in self.meant}

    def hits(self, text: str) -> Mapping[Format, list[int]]:
        """Return the formats that a text may contain, with the positions of their keywords."""
        self.scanned += len(text)
        found: dict[Format, list[int]] = {}
        lower = lower_text(text)
        for at, place in self.find_each(lower) if self.scanned < FEW_CHARACTERS else self.find_all(lower):
            found.setdefault(self.known[place], []).append(at)
        return found

    def find_all(self, lower: str) -> Iterator[tuple[int, int]]:
        """Yield the positions of keywords in order, with their formats' indexes: 0.1 ms per thousand characters."""
        return ((hit.start(), place) for hit in self.pattern.finditer(lower) for place in self.starting[hit[1]])

    def find_each(self, lower: str) -> Sequence[tuple[int, int]]:
        """Return the same, by the slower way: 0.23 ms per thousand characters."""
        there = ((word, places) for word, places in self.meant.items() if word in lower)
        return sorted({(at, place) for word, places in there for at in positions(word, lower) for place in places})


def starting_formats(word: str, meant: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the indexes of the formats with a keyword that is the word, or a prefix of it."""
    return sorted({place for end in range(1, len(word) + 1) for place in meant.get(word[:end], ())})


def find_formatted(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions of secrets of a known format, and that format."""
    for one, places in keywords().hits(text).items():
        whole = len(text) <= MAX_AFTER or one.id in HEAVY
        yield from one.find(text, [(0, len(text))] if whole else join_surroundings(places, len(text)))


def join_surroundings(places: Sequence[int], size: int) -> list[tuple[int, int]]:
    """Yield the surroundings of positions; overlapping ones are joined."""
    found: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - MAX_BEFORE), min(size, place + MAX_AFTER)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
