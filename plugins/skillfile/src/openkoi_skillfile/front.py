"""Parse the front matter of a SKILL.md into plain values with line numbers."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate

from .fence import split_file
from .loose import Keys, loosely
from .problem import Problem, Unusable

LINE_END = re.compile(r"\r{1,3}\n")
BRACKET = re.compile(r"[\[\]{}]")
UNSEEN = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools", "kind")
MOST, LOOSE, DEEPEST = 64_000, 16_000, 60
LOST, FEW = "\ufffd", 20
# What YAML's tags raise at a text that is not theirs: ``!!timestamp x``.
TAGS = (RecursionError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


class Final(Unusable):
    """What is not read in any other way either."""


@dataclass(frozen=True, slots=True)
class Front:
    """Plain values and where they stand, the Markdown after them, and what other readers may not take."""

    facts: Mapping[str, object]
    body: str
    lines: Mapping[Keys, int] = field(default_factory=dict, compare=False)
    odd: tuple[Problem, ...] = field(default=(), compare=False)

    def line(self, *keys: str | int) -> int:
        """The line of a value, or of the nearest thing around it."""
        found = (self.lines[keys[:count]] for count in range(len(keys), 0, -1) if keys[:count] in self.lines)
        return next(found, 1)


def split(text: str) -> Front:
    """Take a file apart. Raises Unusable."""
    text, odd = readable(text)
    parts = split_file(text)
    if len(parts.front) > MOST:
        raise Unusable(Problem(f"its front matter is longer than {MOST} characters"))
    facts, lines, mended = mend(parts.front, parts.first)
    if not isinstance(facts, dict):
        raise Unusable(Problem("its front matter is not a table of keys and values", parts.first))
    named, respelled = rename_keys({str(key): value for key, value in facts.items()}, lines)
    every = (*odd, *parts.odd, *mended, *respelled, *newer(named, lines))
    return Front(named, parts.body.strip(), lines, tuple(sorted(every, key=lambda problem: problem.line)))


def readable(text: str) -> tuple[str, list[Problem]]:
    """Return a text with plain line ends, without what YAML rejects; raise InvalidSkillError when it is not text."""
    text = LINE_END.sub("\n", text.removeprefix("\ufeff"))
    text = text if "\n" in text else text.replace("\r", "\n")
    if "\0" in text:
        raise Unusable(Problem("it contains a NUL, so it is not UTF-8 text. Save it as UTF-8", line_of(text, "\0")))
    odd = []
    if unseen := UNSEEN.search(text):
        odd.append(Problem("it holds control characters, which are left out", line_of(text, unseen[0]), fatal=False))
        text = UNSEEN.sub(" ", text)
    if text.count(LOST) > FEW + len(text) // 50:
        raise Unusable(Problem("it is not UTF-8. Save it as UTF-8", line_of(text, LOST)))
    if LOST in text:
        odd.append(Problem("it holds bytes that are not UTF-8. Save it as UTF-8", line_of(text, LOST), fatal=False))
    return text, odd


def line_of(text: str, part: str) -> int:
    """The line that a part of a text stands in."""
    return text.count("\n", 0, text.index(part)) + 1


def mend(front: str, first: int) -> tuple[object, Mapping[Keys, int], list[Problem]]:
    """Parse YAML; where it is none, read it as a person would."""
    try:
        facts, lines = parse_yaml(front, first)
    except Final:
        raise
    except Unusable:
        if len(front) <= LOOSE and (found := loosely(front, first, parse_yaml)):
            return found
        raise
    if isinstance(facts, str) and (found := loosely(front, first, parse_yaml)):
        return found
    return facts, lines, twice(front, first) if isinstance(facts, dict) else []


def twice(front: str, first: int) -> list[Problem]:
    """Outermost names that stand there more than once: the last one holds."""
    places: dict[str, list[int]] = {}
    for place, line in enumerate(front.split("\n")):
        name = line.partition(":")[0].rstrip()
        if name in FIELDS:
            places.setdefault(name, []).append(first + place)
    several = [(name, lines[-1]) for name, lines in places.items() if len(lines) > 1]
    return [Problem(f"{name!r} stands there twice, and the last one holds", at, fatal=False) for name, at in several]


def rename_keys(facts: dict[str, object], lines: Mapping[Keys, int]) -> tuple[dict[str, object], list[Problem]]:
    """Return the facts under the format's names: ``Name`` and ``allowed_tools`` are recognized."""
    odd, known = [], dict(facts)
    for name in facts:
        usual = re.sub(r"[\s_]+", "-", name.strip().casefold())
        if name != usual and usual in FIELDS and usual not in known:
            known[usual] = known.pop(name)
            odd.append(Problem(f"{name!r} is taken for {usual!r}", lines.get((name,), 1), fatal=False))
    return known, odd


def newer(facts: Mapping[str, object], lines: Mapping[Keys, int]) -> list[Problem]:
    """A version of the format that is not known here: of it is read what the first one has."""
    version = one_line(facts.get("schema_version"))
    if version in ("", "1", "1.0"):
        return []
    text = f"its schema_version is {version}; what is in it is read as 1"
    return [Problem(text, lines.get(("schema_version",), 1), fatal=False)]


def parse_yaml(front: str, first: int = 2) -> tuple[object, Mapping[Keys, int]]:
    """Parse YAML into values and their lines; ``first`` is its first line in the file."""
    import yaml

    if depth(front) > DEEPEST:
        raise Final(Problem(f"its front matter cannot be read: brackets stand {DEEPEST} deep in each other", first))
    try:
        loader = yaml.SafeLoader(front)
        tree = loader.get_single_node()
        lines = dict(find_lines(tree, (), set(), first)) if tree else {}
        return (loader.construct_document(tree) if tree else None) or {}, lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = str(getattr(error, "problem", None) or error).partition("\n")[0]
        line = mark.line + first if mark else first
        raise Unusable(Problem(f"its front matter is not YAML: {said}", line)) from error
    except TAGS as error:
        raise Unusable(Problem(f"its front matter cannot be read: {str(error) or 'too deep'}", first)) from error


def depth(front: str) -> int:
    """How deep brackets stand in each other, whatever they mean: what is deeper than people write takes YAML long."""
    steps = (1 if found[0] in "[{" else -1 for found in BRACKET.finditer(front))
    return max(accumulate(steps), default=0)


def find_lines(node: object, keys: Keys, seen: set[int], first: int) -> Iterator[tuple[Keys, int]]:
    """Yield the line of each value below a node; a repeated node is behind an anchor."""
    value, mark = getattr(node, "value", None), getattr(node, "start_mark", None)
    line = (mark.line if mark else 0) + first
    if id(node) in seen:
        raise Final(Problem("its front matter has anchors, which are not read here", line))
    seen.add(id(node))
    yield keys, line
    if not isinstance(value, list):
        return
    for place, item in enumerate(value):
        if isinstance(item, tuple):
            name = item[0].value if isinstance(item[0].value, str) else ""
            yield from find_lines(item[1], (*keys, name), seen, first)
            yield (*keys, name), item[0].start_mark.line + first
        else:
            yield from find_lines(item, (*keys, place), seen, first)


def mapping(value: object) -> Mapping[str, object]:
    """Take what should be a table for one, also where it is written as JSON in a text; else for an empty one."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def words(value: object) -> tuple[str, ...]:
    """Take a list of words, or one line of them with commas between."""
    several = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(str(word).strip() for word in several if str(word).strip())


def one_line(value: object) -> str:
    """Return a text without line breaks, or an empty string for another value."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def one_text(value: object) -> str:
    """The same, also of several in a list."""
    if isinstance(value, list):
        return " ".join(filter(None, map(one_line, value)))
    return one_line(value)
