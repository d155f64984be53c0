"""Detect secrets by their format: gitleaks' rules (``gitleaks.json``), and those of ``vendors.py`` and ``shapes.py``.

An expression runs only near a keyword of its rule: most texts need no closer look.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from .keywords import any_of, lower_text
from .manifests import KIND
from .randomness import are_words, entropy
from .shapes import SHAPES
from .vendors import PREFIXES

MAX_BEFORE, MAX_AFTER = 200, 4096  # characters between a keyword and its secret
REST_OF_TOKEN = re.compile(r"[\w+/=.~-]*")
START = re.compile(r"(?<![\w-])|(?<=\\[nrt])|(?<=\\u[\da-f]{4})")  # tried at a match: searched for, it is slow
WORD = re.compile(r"\b|(?<=\\[nrt])")
CROSSES = re.compile(r"[xX]{8}$")  # in place of a secret
UNKNOWN = "unknown-token"
HEAVY = {"private-key", "putty-key"}  # longer than MAX_AFTER


@dataclass(frozen=True, eq=False)
class Format:
    """A kind of secret: keywords, one of which is in every text with such a secret, and its pattern."""

    id: str
    keywords: tuple[str, ...]
    source: str
    group: int = 0
    entropy: float = 0.0
    start: re.Pattern[str] | None = None
    random: bool = True

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled on first use."""
        return re.compile(self.source)

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
def formats() -> Sequence[Format]:
    """Return all formats; they are read on first use."""
    rules = json.loads(files(__package__).joinpath("gitleaks.json").read_text("utf-8"))
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
    """Finds the keywords of formats in one pass over a text."""

    def __init__(self, known: Sequence[Format]) -> None:
        meant: dict[str, list[int]] = {}
        for place, one in enumerate(known):
            for word in one.keywords:
                meant.setdefault(word, []).append(place)
        self.pattern = re.compile(f"(?=({any_of(sorted(meant))}))")
        self.formats = {word: [known[place] for place in starting_formats(word, meant)] for word in meant}

    def hits(self, text: str) -> Mapping[Format, list[int]]:
        """Return the formats that a text may contain, with the positions of their keywords."""
        found: dict[Format, list[int]] = {}
        for hit in self.pattern.finditer(lower_text(text)):
            for one in self.formats[hit[1]]:
                found.setdefault(one, []).append(hit.start())
        return found


def starting_formats(word: str, meant: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the places of the formats of which a keyword begins the word, or is the word itself."""
    return sorted({place for end in range(1, len(word) + 1) for place in meant.get(word[:end], ())})


def find_formatted(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions of secrets of a known format, and that format."""
    for one, places in keywords().hits(text).items():
        whole = len(text) <= MAX_AFTER or one.id in HEAVY
        yield from one.find(text, [(0, len(text))] if whole else join_surroundings(places, len(text)))


def join_surroundings(places: Sequence[int], size: int) -> list[tuple[int, int]]:
    """Yield the surroundings of positions, joined where they overlap."""
    found: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - MAX_BEFORE), min(size, place + MAX_AFTER)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
