"""Recognize commands whose output is made for a shell to run, by the list in ``rules/generators.table``."""

import re
from fnmatch import fnmatchcase
from functools import cache

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import RULES, load_programs, read_table

PLAIN = lazy_pattern(r"^[\w./:@=+~ -]+$")
SUBSTITUTION = lazy_pattern(r"^(?:\$\(|<\()(?P<inner>.*)\)$|^`(?P<ticked>[^`]*)`$", re.DOTALL)


@cache
def load_generators() -> tuple[str, ...]:
    """Return the commands of the list."""
    return tuple(read_table(RULES / "generators.table"))


def is_generator(line: str) -> bool:
    """Return whether a line is one of these commands, and nothing else."""
    made, *readers = line.split("|")
    if not all(reader.strip() in load_programs("shells") for reader in readers):
        return False
    text = " ".join(made.split()).removesuffix(" 2>/dev/null")
    return PLAIN.match(text) is not None and any(matches_words(text, one) for one in load_generators())


def matches_words(text: str, pattern: str) -> bool:
    """Return whether words match a pattern, word by word."""
    words, expected = text.split(), pattern.split()
    return len(words) == len(expected) and all(fnmatchcase(a, b) for a, b in zip(words, expected, strict=True))


def read_substitution(text: str) -> str:
    """Return the command whose output a word consists of."""
    match = SUBSTITUTION.match(text.strip())
    return (match["inner"] or match["ticked"] or "").strip() if match else ""
