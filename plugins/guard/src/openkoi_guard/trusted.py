"""Commands whose output is made for a shell to read. Their list stands in ``rules/generators.table``."""

import re
from fnmatch import fnmatchcase
from functools import cache

from .patterns import RULES, lines_of, programs

PLAIN = re.compile(r"^[\w./:@=+~ -]+$")
SUBSTITUTION = re.compile(r"^(?:\$\(|<\()(?P<inner>.*)\)$|^`(?P<ticked>[^`]*)`$", re.DOTALL)


@cache
def generators() -> tuple[str, ...]:
    """Read the list, once."""
    return tuple(lines_of(RULES / "generators.table"))


def is_generator(line: str) -> bool:
    """Whether a line is one of them, and nothing else."""
    made, *readers = line.split("|")
    if not all(reader.strip() in programs("shells") for reader in readers):
        return False
    text = " ".join(made.split()).removesuffix(" 2>/dev/null")
    return PLAIN.match(text) is not None and any(matches(text, one) for one in generators())


def matches(text: str, pattern: str) -> bool:
    """Whether the words are those of the pattern, as many as it has."""
    given, wanted = text.split(), pattern.split()
    return len(given) == len(wanted) and all(fnmatchcase(a, b) for a, b in zip(given, wanted, strict=True))


def substituted(text: str) -> str:
    """The command whose output a word is, if it is nothing else."""
    match = SUBSTITUTION.match(text.strip())
    return (match["inner"] or match["ticked"] or "").strip() if match else ""
