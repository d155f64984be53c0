"""Parse the front matter of a SKILL.md into plain values with line numbers."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .file_parts import split_file
from .problem import InvalidSkillError, Keys, Problem

if TYPE_CHECKING:
    import yaml

LINE_END = lazy_pattern(r"\r{1,3}\n")
CONTROL_CHARACTERS = lazy_pattern("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools", "kind")
MAX_CHARACTERS, MAX_LENIENT_CHARACTERS = 64_000, 16_000  # estimates: YAML takes about a second for that much
REPLACEMENT, MAX_REPLACEMENTS = "\ufffd", 20  # estimate: more are another encoding


class UnrecoverableSkillError(InvalidSkillError):
    """A front matter that lenient parsing does not accept either."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values with their lines, the body, and what was corrected."""

    facts: Mapping[str, object]
    body: str
    lines: Mapping[Keys, int] = field(default_factory=dict, compare=False)
    corrections: tuple[Problem, ...] = field(default=(), compare=False)

    def line(self, *keys: str | int) -> int:
        """Return the line of a value, or of the nearest value around it."""
        found = (self.lines[keys[:count]] for count in range(len(keys), 0, -1) if keys[:count] in self.lines)
        return next(found, 1)


def parse_file(text: str) -> FrontMatter:
    """Parse a SKILL.md file. Raises InvalidSkillError."""
    text, odd = clean_text(text)
    parts = split_file(text)
    if len(parts.front) > MAX_CHARACTERS:
        raise InvalidSkillError(Problem(f"the front matter is longer than {MAX_CHARACTERS} characters"))
    facts, lines, corrected = parse_front_matter(parts.front, parts.first)
    if not isinstance(facts, dict):
        raise InvalidSkillError(Problem("the front matter is not a table of keys and values", parts.first))
    named, respelled = rename_keys({str(key): value for key, value in facts.items()}, lines)
    check_version(named, lines)
    every = (*odd, *parts.corrections, *corrected, *respelled)
    return FrontMatter(named, parts.body.strip(), lines, tuple(sorted(every, key=lambda problem: problem.line)))


def clean_text(text: str) -> tuple[str, list[Problem]]:
    """Return the text with plain line ends and without control characters; raise InvalidSkillError if it is binary."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = LINE_END.sub("\n", text)
        text = text if "\n" in text else text.replace("\r", "\n")
    if "\0" in text:
        raise InvalidSkillError(
            Problem("it contains a NUL character, so it is not UTF-8 text; save it as UTF-8", find_line(text, "\0"))
        )
    odd = []
    if unseen := CONTROL_CHARACTERS.search(text):
        odd.append(
            Problem("it contains control characters, which are ignored", find_line(text, unseen[0]), fatal=False)
        )
        text = CONTROL_CHARACTERS.sub(" ", text)
    if text.count(REPLACEMENT) > MAX_REPLACEMENTS + len(text) // 50:
        raise InvalidSkillError(Problem("it is not UTF-8; save it as UTF-8", find_line(text, REPLACEMENT)))
    if REPLACEMENT in text:
        odd.append(
            Problem("it contains bytes that are not UTF-8; save it as UTF-8", find_line(text, REPLACEMENT), fatal=False)
        )
    return text, odd


def find_line(text: str, part: str) -> int:
    """Return the line number of a part of a text."""
    return text.count("\n", 0, text.index(part)) + 1


def parse_front_matter(front: str, first: int) -> tuple[object, Mapping[Keys, int], list[Problem]]:
    """Parse YAML; parse invalid YAML leniently."""
    try:
        facts, lines = parse_yaml(front, first)
    except UnrecoverableSkillError:
        raise
    except InvalidSkillError:
        if len(front) <= MAX_LENIENT_CHARACTERS and (found := parse_leniently(front, first)):
            return found
        raise
    if isinstance(facts, str) and (found := parse_leniently(front, first)):
        return found
    return facts, lines, find_duplicates(front, first) if isinstance(facts, dict) else []


def parse_leniently(front: str, first: int) -> tuple[object, Mapping[Keys, int], list[Problem]] | None:
    """Parse text that is not quite YAML; return None if it is not similar to YAML."""
    from .lenient_yaml import read_leniently

    return read_leniently(front, first, parse_yaml)


def find_duplicates(front: str, first: int) -> list[Problem]:
    """Return problems with repeated top-level fields; the last one applies."""
    places: dict[str, list[int]] = {}
    for place, line in enumerate(front.split("\n")):
        name = line.partition(":")[0].rstrip()
        if name in FIELDS:
            places.setdefault(name, []).append(first + place)
    several = [(name, lines[-1]) for name, lines in places.items() if len(lines) > 1]
    return [Problem(f"{name!r} occurs twice; the last one applies", at, fatal=False) for name, at in several]


def rename_keys(facts: dict[str, object], lines: Mapping[Keys, int]) -> tuple[dict[str, object], list[Problem]]:
    """Return the facts under the format's names: ``Name`` and ``allowed_tools`` are recognized."""
    odd, known = [], dict(facts)
    for name in facts:
        usual = re.sub(r"[\s_]+", "-", name.strip().casefold())
        if name != usual and usual in FIELDS and usual not in known:
            known[usual] = known.pop(name)
            odd.append(Problem(f"{name!r} is read as {usual!r}", lines.get((name,), 1), fatal=False))
    return known, odd


def check_version(facts: Mapping[str, object], lines: Mapping[Keys, int]) -> None:
    """Raise InvalidSkillError for a schema_version other than 1: its fields may mean something else."""
    version = to_line(facts.get("schema_version"))
    if version not in ("", "1", "1.0"):
        text = (
            f"schema_version {version} is not supported (only 1 is); "
            "update OpenKoi, or ask the skill's author for version 1"
        )
        raise InvalidSkillError(Problem(text, lines.get(("schema_version",), 1)))


def parse_yaml(front: str, first: int = 2) -> tuple[object, Mapping[Keys, int]]:
    """Parse YAML into values and their lines; ``first`` is its first line in the file."""
    from openkoi_base import yaml_nodes

    try:
        tree = yaml_nodes.parse_yaml(front)
        values = yaml_nodes.read_value(tree) if tree else None
    except yaml_nodes.InvalidYamlError as error:
        kind = UnrecoverableSkillError if error.unsupported else InvalidSkillError
        problem = f"the front matter is not {'supported' if error.unsupported else 'valid'} YAML: {error.problem}"
        raise kind(Problem(problem, error.line - 1 + first)) from error
    return values or {}, dict(find_lines(tree, (), first)) if tree else {}


def find_lines(node: "yaml.Node", keys: Keys, first: int) -> Iterator[tuple[Keys, int]]:
    """Yield the line of each value below a node."""
    yield keys, node.start_mark.line + first
    for place, item in enumerate(node.value if isinstance(node.value, list) else ()):
        if isinstance(item, tuple):
            name = item[0].value if isinstance(item[0].value, str) else ""
            yield from find_lines(item[1], (*keys, name), first)
            yield (*keys, name), item[0].start_mark.line + first
        else:
            yield from find_lines(item, (*keys, place), first)


def to_mapping(value: object) -> Mapping[str, object]:
    """Return a table, also one written as JSON text; return an empty one for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def to_words(value: object) -> tuple[str, ...]:
    """Return a list of words, or comma-separated words in one line."""
    several = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(str(word).strip() for word in several if str(word).strip())


def to_line(value: object) -> str:
    """Return a string without line breaks; an empty one for other types."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def to_text(value: object) -> str:
    """Return a text without line breaks; join those of a list."""
    if isinstance(value, list):
        return " ".join(filter(None, map(to_line, value)))
    return to_line(value)
