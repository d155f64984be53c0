"""The YAML at the head of a SKILL.md as plain values, each with its line. Knows YAML; knows no skill.

What people write by hand is mended where it is plain what was meant: a colon in a description that is not quoted.
Anchors are refused, because a few lines of them could stand for millions of values.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias

from .problem import Problem, Unusable

Keys: TypeAlias = tuple[str | int, ...]
FILE = re.compile(r"\A---[ \t]*\n(?P<front>(?:.*\n)*?)---[ \t]*(?:\n(?P<body>[\s\S]*))?\Z")
BEGUN = re.compile(r"---[ \t]*(?:\n|\Z)")
PLAIN = re.compile(r"^(?P<key>[\w-]+):[ \t]+(?P<value>[^\s\"'|>\[{&*!#%@`].*)$", re.MULTILINE)
BRACKET = re.compile(r"[\[\]{}]")
MOST, DEEPEST = 64_000, 60
# What YAML's tags raise at a text that is not theirs: ``!!timestamp x``.
TAGS = (RecursionError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
SHAPE = "it does not begin with YAML between two lines of three dashes"
OPEN = "its front matter does not end: a line of three dashes is missing after it"


@dataclass(frozen=True, slots=True)
class Front:
    """Plain values and where they stand, and the Markdown after them."""

    facts: Mapping[str, object]
    body: str
    lines: Mapping[Keys, int] = field(default_factory=dict, compare=False)

    def line(self, *keys: str | int) -> int:
        """The line of a value, or of the nearest thing around it."""
        found = (self.lines[keys[:count]] for count in range(len(keys), 0, -1) if keys[:count] in self.lines)
        return next(found, 1)


def split(text: str) -> Front:
    """Take a file apart. Raises Unusable."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    parts = FILE.match(text)
    if not parts:
        raise Unusable(Problem(OPEN if BEGUN.match(text) else SHAPE))
    if len(parts["front"]) > MOST:
        raise Unusable(Problem(f"its front matter is longer than {MOST} characters"))
    facts, lines = mended(parts["front"])
    if not isinstance(facts, dict):
        raise Unusable(Problem("its front matter is no table of keys and values", 2))
    return Front({str(key): value for key, value in facts.items()}, (parts["body"] or "").strip(), lines)


def mended(front: str) -> tuple[object, Mapping[Keys, int]]:
    """Parse YAML; where that fails, once more with the plain values of the outermost keys in quotes."""
    try:
        return parsed(front)
    except Unusable as error:
        quoted = PLAIN.sub(quote, front)
        if quoted == front:
            raise
        try:
            return parsed(quoted)
        except Unusable:
            raise error from None


def quote(found: re.Match[str]) -> str:
    """One line with its value in quotes."""
    return f"{found['key']}: '{found['value'].rstrip().replace(chr(39), chr(39) * 2)}'"


def parsed(front: str) -> tuple[object, Mapping[Keys, int]]:
    """Parse YAML into values and their lines."""
    import yaml

    if depth(front) > DEEPEST:
        raise Unusable(Problem(f"its front matter cannot be read: brackets stand {DEEPEST} deep in each other", 2))
    try:
        loader = yaml.SafeLoader(front)
        tree = loader.get_single_node()
        lines = dict(located(tree, (), set())) if tree else {}
        return (loader.construct_document(tree) if tree else None) or {}, lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = str(getattr(error, "problem", None) or error)
        raise Unusable(Problem(f"its front matter is not YAML: {said}", mark.line + 2 if mark else 2)) from error
    except TAGS as error:
        raise Unusable(Problem(f"its front matter cannot be read: {str(error) or 'too deep'}", 2)) from error


def depth(front: str) -> int:
    """How deep brackets stand in each other, whatever they mean: what is deeper than people write takes YAML long."""
    steps = (1 if found[0] in "[{" else -1 for found in BRACKET.finditer(front))
    return max(accumulate(steps), default=0)


def located(node: object, keys: Keys, seen: set[int]) -> Iterator[tuple[Keys, int]]:
    """The line of each value below a node; the file's first line is the one before the node's.

    A node that is met again stands behind an anchor.
    """
    value, mark = getattr(node, "value", None), getattr(node, "start_mark", None)
    line = (mark.line if mark else 0) + 2
    if id(node) in seen:
        raise Unusable(Problem("its front matter has anchors, which are not read here", line))
    seen.add(id(node))
    yield keys, line
    if not isinstance(value, list):
        return
    for place, item in enumerate(value):
        if isinstance(item, tuple):
            name = item[0].value if isinstance(item[0].value, str) else ""
            yield from located(item[1], (*keys, name), seen)
            yield (*keys, name), item[0].start_mark.line + 2
        else:
            yield from located(item, (*keys, place), seen)


def mapping(value: object) -> Mapping[str, object]:
    """Take what should be a table for one, or for an empty one."""
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def words(value: object) -> tuple[str, ...]:
    """Take a list of words, or one line of them with commas between."""
    several = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(str(word).strip() for word in several if str(word).strip())


def one_line(value: object) -> str:
    """Take a text without its line breaks; nothing for what is no plain value."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""
