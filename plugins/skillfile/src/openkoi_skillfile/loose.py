"""Read a front matter that is not quite YAML, as a person would: entry by entry, what is no YAML as plain text.

A colon in a description, quotes in quotes, a bracket or a star at the beginning, a tab: most files that others refuse
are of this kind. Each entry is held to YAML by itself, so that one odd line costs itself alone.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .problem import Problem, Unusable

Keys: TypeAlias = tuple[str | int, ...]
Read: TypeAlias = Callable[[str, int], tuple[object, Mapping[Keys, int]]]
KEY = re.compile(r"(?P<quote>[\"']?)(?P<key>[\w][\w .-]{0,60}?)(?P=quote)[ \t]*:(?:[ \t]+(?P<value>.*)|[ \t]*)")
GLUED = re.compile(r"(?P<key>name|description|kind|license|version):(?P<value>[^\s:/].*)")
ITEM = re.compile(r"-(?:[ \t]+|$)")
BLOCK = re.compile(r"\A[|>][+-]?\d?[+-]?(?:\s+|\Z)")
DEEPEST = 8
QUESTION = "\ue03f"
ODD = "{name!r} is not YAML and is read as plain text; other readers may reject it: {why}. Quotes around it would help"

GLUE = "{name!r} has no space after its colon; other readers may refuse it"


@dataclass(slots=True)
class Loose:
    """A reading under way: ``read`` is for what is YAML after all."""

    read: Read
    lines: dict[Keys, int] = field(default_factory=dict)
    odd: list[Problem] = field(default_factory=list)

    def table(self, text: list[str], first: int, keys: Keys = ()) -> dict[str, object] | None:
        """Entries with names; None where there are none."""
        pieces = split(text, entry_at)
        if not pieces or not entry_at(pieces[0][1][0]):
            return None
        return {
            name: self.value(name, lines, first + at, (*keys, name))
            for at, lines in pieces
            if (name := name_of(lines[0]))
        }

    def value(self, name: str, lines: list[str], line: int, keys: Keys) -> object:
        """One entry: as YAML, else as what stands in it, else as a text."""
        self.lines[keys] = line
        while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("#")):
            lines = lines[:-1]
        if add_space(lines[0]) != lines[0]:
            self.odd.append(Problem(GLUE.format(name=name), line, fatal=False))
        try:
            said, where = self.parse_with_question_marks("\n".join([add_space(lines[0]), *lines[1:], ""]), line)
        except Unusable as error:
            return self.taken_apart(lines, line, keys, reason(error))
        if not isinstance(said, dict) or len(said) != 1:
            return self.taken_apart(lines, line, keys, "it is not a single entry")
        self.lines.update({(*keys, *rest[1:]): at for rest, at in where.items() if rest})
        return next(iter(said.values()))

    def parse_with_question_marks(self, text: str, line: int) -> tuple[object, Mapping[Keys, int]]:
        """Parse as YAML; a question mark within brackets is a plain character."""
        try:
            return self.read(text, line)
        except Unusable:
            if "?" not in text or not {"[", "{"} & set(text):
                raise
            said, where = self.read(text.replace("?", QUESTION), line)
            return restore_question_marks(said), where

    def taken_apart(self, lines: list[str], line: int, keys: Keys, why: str) -> object:
        """Return a table or list with invalid YAML in it, or a text."""
        rest = dedent_lines(lines[1:])
        if not value_of(lines[0]) and rest and len(keys) < DEEPEST:
            inner = self.items(rest, line + 1, keys) or self.table(rest, line + 1, keys)
            if inner is not None:
                return inner
        self.odd.append(Problem(ODD.format(name=keys[-1], why=why), line, fatal=False))
        return unquote_text([value_of(lines[0]), *rest])

    def items(self, text: list[str], first: int, keys: Keys) -> list[object] | None:
        """The entries of a list; None where it is none."""
        pieces = split(text, lambda line: bool(ITEM.match(line)))
        if not pieces or not ITEM.match(pieces[0][1][0]):
            return None
        found: list[object] = []
        for number, (at, lines) in enumerate(pieces):
            inner = [ITEM.sub(lambda dash: " " * len(dash[0]), lines[0], count=1), *lines[1:]]
            found.append(self.item(dedent_lines(inner), first + at, (*keys, number)))
        return found

    def item(self, text: list[str], line: int, keys: Keys) -> object:
        """One of a list."""
        self.lines[keys] = line
        try:
            said, where = self.parse_with_question_marks("\n".join([*text, ""]), line)
        except Unusable as error:
            said, where = self.table(text, line, keys) if len(keys) < DEEPEST else None, {}
            if said is None:
                self.odd.append(Problem(ODD.format(name=f"entry {keys[-1]}", why=reason(error)), line, fatal=False))
                return unquote_text(text)
        self.lines.update({(*keys, *rest): at for rest, at in where.items()})
        return said


def reason(error: Unusable) -> str:
    """Return why something is not YAML, in the parser's words."""
    return error.problem.text.rpartition(": ")[2]


def restore_question_marks(value: object) -> object:
    """Return a value with its question marks."""
    if isinstance(value, dict):
        return {restore_question_marks(name): restore_question_marks(item) for name, item in value.items()}
    if isinstance(value, list):
        return [restore_question_marks(item) for item in value]
    return value.replace(QUESTION, "?") if isinstance(value, str) else value


def loosely(front: str, first: int, read: Read) -> tuple[dict[str, object], Mapping[Keys, int], list[Problem]] | None:
    """Names and values, their lines, and what was odd; None where there are no entries at all."""
    loose = Loose(read)
    text = [expand_tabs(line) for line in front.split("\n")]
    blank = next((place for place, line in enumerate(text) if line.strip() and not line.lstrip().startswith("#")), 0)
    facts = loose.table(dedent_lines(text[blank:]), first + blank)
    return (facts, loose.lines, loose.odd) if facts else None


def split(text: list[str], begins: Callable[[str], bool]) -> list[tuple[int, list[str]]]:
    """Pieces, each from a line that begins one to the next such line; with the place of the first line."""
    starts = [place for place, line in enumerate(text) if place == 0 or begins(line)]
    ends = [*starts[1:], len(text)]
    return [(start, text[start:end]) for start, end in zip(starts, ends, strict=True)] if text else []


def entry_at(line: str) -> bool:
    """Whether a line begins an entry of the outermost table."""
    return bool(KEY.fullmatch(line) or GLUED.fullmatch(line))


def name_of(line: str) -> str:
    found = KEY.fullmatch(line) or GLUED.fullmatch(line)
    return found["key"].strip() if found else ""


def value_of(line: str) -> str:
    found = KEY.fullmatch(line) or GLUED.fullmatch(line)
    return (found["value"] or "").strip() if found else line.strip()


def add_space(line: str) -> str:
    """Return ``name:it`` with the missing space."""
    found = None if KEY.fullmatch(line) else GLUED.fullmatch(line)
    return f"{found['key']}: {found['value']}" if found else line


def expand_tabs(line: str) -> str:
    """Return a line indented with spaces only."""
    rest = line.lstrip(" \t\u00a0\u3000")
    return line[: len(line) - len(rest)].replace("\t", "  ").replace("\u00a0", " ").replace("\u3000", "  ") + rest


def dedent_lines(text: list[str]) -> list[str]:
    """Return lines without their common indentation."""
    depth = min((len(line) - len(line.lstrip(" ")) for line in text if line.strip()), default=0)
    return [line[depth:] for line in text]


def unquote_text(lines: list[str]) -> str:
    """Return a text without quotes or block indicator."""
    text = "\n".join(line.rstrip() for line in lines).strip()
    text = BLOCK.sub("", text).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text
