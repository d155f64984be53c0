"""Read front matter that is not quite YAML, entry by entry, with invalid values as plain text.

Most rejected files have a colon in a description, nested quotes, a leading bracket or star, or a tab. Each entry is
parsed by itself, so that an invalid line affects only its own value.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .problem import InvalidSkillError, Keys, Problem

Read: TypeAlias = Callable[[str, int], tuple[object, Mapping[Keys, int]]]
KEY = lazy_pattern(r"(?P<quote>[\"']?)(?P<key>[\w][\w .-]{0,60}?)(?P=quote)[ \t]*:(?:[ \t]+(?P<value>.*)|[ \t]*)")
GLUED = lazy_pattern(r"(?P<key>name|description|kind|license|version):(?P<value>[^\s:/].*)")
ITEM = lazy_pattern(r"-(?:[ \t]+|$)")
BLOCK = lazy_pattern(r"\A[|>][+-]?\d?[+-]?(?:\s+|\Z)")
MAX_DEPTH = 8  # estimate: deeper than any published skill
QUESTION_MARK = "\ue03f"
ODD = "{name!r} is not valid YAML and is read as plain text; other programs may reject it: {why}. Quote the value"
GLUE = "{name!r} has no space after its colon; other programs may reject it"


@dataclass(slots=True)
class LenientReader:
    """Reads one front matter; ``read`` parses what is valid YAML."""

    read: Read
    lines: dict[Keys, int] = field(default_factory=dict)
    corrections: list[Problem] = field(default_factory=list)

    def parse_table(self, text: list[str], first: int, keys: Keys = ()) -> dict[str, object] | None:
        """Parse named entries; return None if there are none."""
        pieces = split_entries(text, is_entry)
        if not pieces or not is_entry(pieces[0][1][0]):
            return None
        return {
            name: self.parse_entry(name, lines, first + at, (*keys, name))
            for at, lines in pieces
            if (name := get_name(lines[0]))
        }

    def parse_entry(self, name: str, lines: list[str], line: int, keys: Keys) -> object:
        """Parse an entry as YAML, else as nested entries, else as text."""
        self.lines[keys] = line
        while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("#")):
            lines = lines[:-1]
        if add_space(lines[0]) != lines[0]:
            self.corrections.append(Problem(GLUE.format(name=name), line, fatal=False))
        try:
            parsed, where = self.parse_with_question_marks("\n".join([add_space(lines[0]), *lines[1:], ""]), line)
        except InvalidSkillError as error:
            return self.parse_broken_entry(lines, line, keys, format_reason(error))
        if not isinstance(parsed, dict) or len(parsed) != 1:
            return self.parse_broken_entry(lines, line, keys, "it is not a single entry")
        self.lines.update({(*keys, *rest[1:]): at for rest, at in where.items() if rest})
        return next(iter(parsed.values()))

    def parse_with_question_marks(self, text: str, line: int) -> tuple[object, Mapping[Keys, int]]:
        """Parse as YAML; a question mark within brackets is a plain character."""
        try:
            return self.read(text, line)
        except InvalidSkillError:
            if "?" not in text or not {"[", "{"} & set(text):
                raise
            parsed, where = self.read(text.replace("?", QUESTION_MARK), line)
            return restore_question_marks(parsed), where

    def parse_broken_entry(self, lines: list[str], line: int, keys: Keys, why: str) -> object:
        """Parse a table or list that contains invalid YAML; return any other entry as text."""
        rest = dedent_lines(lines[1:])
        if not get_value(lines[0]) and rest and len(keys) < MAX_DEPTH:
            inner = self.parse_list(rest, line + 1, keys) or self.parse_table(rest, line + 1, keys)
            if inner is not None:
                return inner
        self.corrections.append(Problem(ODD.format(name=keys[-1], why=why), line, fatal=False))
        return unquote_text([get_value(lines[0]), *rest])

    def parse_list(self, text: list[str], first: int, keys: Keys) -> list[object] | None:
        """Parse the entries of a list; return None if the text is not a list."""
        pieces = split_entries(text, lambda line: bool(ITEM.match(line)))
        if not pieces or not ITEM.match(pieces[0][1][0]):
            return None
        found: list[object] = []
        for number, (at, lines) in enumerate(pieces):
            inner = [ITEM.sub(lambda dash: " " * len(dash[0]), lines[0], count=1), *lines[1:]]
            found.append(self.parse_list_entry(dedent_lines(inner), first + at, (*keys, number)))
        return found

    def parse_list_entry(self, text: list[str], line: int, keys: Keys) -> object:
        """Parse an entry of a list."""
        self.lines[keys] = line
        try:
            parsed, where = self.parse_with_question_marks("\n".join([*text, ""]), line)
        except InvalidSkillError as error:
            parsed, where = self.parse_table(text, line, keys) if len(keys) < MAX_DEPTH else None, {}
            if parsed is None:
                self.corrections.append(
                    Problem(ODD.format(name=f"entry {keys[-1]}", why=format_reason(error)), line, fatal=False)
                )
                return unquote_text(text)
        self.lines.update({(*keys, *rest): at for rest, at in where.items()})
        return parsed


def format_reason(error: InvalidSkillError) -> str:
    """Return why something is not YAML, in the parser's words."""
    return error.problem.text.rpartition(": ")[2]


def restore_question_marks(value: object) -> object:
    """Return a value with its question marks restored."""
    if isinstance(value, dict):
        return {restore_question_marks(name): restore_question_marks(item) for name, item in value.items()}
    if isinstance(value, list):
        return [restore_question_marks(item) for item in value]
    return value.replace(QUESTION_MARK, "?") if isinstance(value, str) else value


def read_leniently(
    front: str, first: int, read: Read
) -> tuple[dict[str, object], Mapping[Keys, int], list[Problem]] | None:
    """Return values, lines and problems, or None if there is no entry."""
    loose = LenientReader(read)
    text = [expand_tabs(line) for line in front.split("\n")]
    blank = next((place for place, line in enumerate(text) if line.strip() and not line.lstrip().startswith("#")), 0)
    facts = loose.parse_table(dedent_lines(text[blank:]), first + blank)
    return (facts, loose.lines, loose.corrections) if facts else None


def split_entries(text: list[str], begins: Callable[[str], bool]) -> list[tuple[int, list[str]]]:
    """Split lines into entries, each with the index of its first line."""
    starts = [place for place, line in enumerate(text) if place == 0 or begins(line)]
    ends = [*starts[1:], len(text)]
    return [(start, text[start:end]) for start, end in zip(starts, ends, strict=True)] if text else []


def is_entry(line: str) -> bool:
    """Return whether a line starts an entry of the outermost table."""
    return bool(KEY.fullmatch(line) or GLUED.fullmatch(line))


def get_name(line: str) -> str:
    found = KEY.fullmatch(line) or GLUED.fullmatch(line)
    return found["key"].strip() if found else ""


def get_value(line: str) -> str:
    found = KEY.fullmatch(line) or GLUED.fullmatch(line)
    return (found["value"] or "").strip() if found else line.strip()


def add_space(line: str) -> str:
    """Return ``name:value`` with a space after the colon."""
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
