"""Name the fields of work of the second generator, with their subjects, values, conditions and sentences."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """A decision: its names, its possible values, and a linter's code for it."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    code: str

    @property
    def name(self) -> str:
        """Return the usual name."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of an exception: the words that state it, in a task and in advice."""

    marks: tuple[str, ...]
    task: tuple[str, ...]
    advice: tuple[str, ...]

    def applies(self, text: str) -> bool:
        """Return whether a text mentions the condition."""
        return any(mark in text.casefold() for mark in self.marks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A field of work. Its work is written to ``path`` as settings, or as sentences where that is empty."""

    name: str
    path: str
    job: str
    kinds: Mapping[str, str]
    topics: tuple[str, ...]
    projects: tuple[str, ...]
    subjects: tuple[Subject, ...]
    conditions: tuple[Condition, ...]


KINDS = {"draft": "Draft", "revise": "Revise", "port": "Carry over", "audit": "Check and complete"}

TABLE = Path(__file__).with_name("second_words.toml")


def read_subjects(table: str, prefix: str) -> Iterator[Subject]:
    """Read a table of subjects."""
    for number, line in enumerate(table.strip().splitlines()):
        names, values = line.split(" / ")
        yield Subject(tuple(names.split(", ")), tuple(values.split(", ")), f"{prefix}{101 + 7 * number}")


@cache
def domains() -> tuple[Domain, ...]:
    """Return every field of work."""
    return tuple(map(read_domain, tomllib.loads(TABLE.read_text(encoding="utf-8"))["domain"]))


def read_domain(table: Mapping[str, Any]) -> Domain:
    """Read a field of work."""
    return Domain(
        name=table["name"],
        path=table["path"],
        job=table["job"],
        kinds=KINDS,
        topics=tuple(table["topics"]),
        projects=tuple(table["projects"]),
        subjects=tuple(read_subjects(table["subjects"], table["code"])),
        conditions=tuple(Condition(**{key: tuple(texts) for key, texts in one.items()}) for one in table["conditions"]),
    )


TEMPLATES = (
    "Wrong {name}: `{used}`. Use `{value}`.",
    "The {name} should be `{value}`, not `{used}`.",
    "I would have expected `{value}` as the {name}, but found `{used}`.",
    "Please change the {name} from `{used}` to `{value}`.",
    "We do not accept {used} as the {name}. Go with {value}.",
    "`{value}` is the agreed {name}; `{used}` is a leftover.",
    "Replace `{used}` with `{value}` for the {name}.",
    "About the {name}: `{used}` was rejected, `{value}` is required.",
    "Take {value} for the {name} rather than {used}.",
    'The {name} must read "{value}"; "{used}" is out of line with what we agreed.',
)
PARAPHRASES = len(TEMPLATES)
SYNONYM_TEMPLATE = "{wrong} {name} (`{used}`): {use} `{value}` {instead}."
WRONG = ("Wrong", "Incorrect", "Unexpected", "Inappropriate", "Unsuitable")
USE = ("use", "choose", "pick", "go with", "prefer", "take", "set it to", "switch to")
INSTEAD = ("instead", "here", "in its place")
LINTER_TEMPLATES = (
    "{name} should be '{value}', found '{used}'",
    "Unexpected {name} '{used}' (use '{value}')",
    "AssertionError: {name}: '{used}' != '{value}'",
    "expected {name} to be '{value}' but got '{used}'",
)
WIDE = ("Project-wide: ", "Everywhere in this project: ", "House rule: ")
PLATITUDES = (
    "Consider a bit more care for the reader.",
    "The structure could be clearer in places.",
    "Make sure that everything is consistent.",
    "Good start, but it could be more polished.",
    "Think about edge cases.",
    "Follow best practices throughout.",
    "Some parts might deserve more explanation.",
    "Double-check the details before you hand it in.",
    "Try to keep it simple and maintainable.",
    "Overall solid; a second look would not hurt.",
)


def paraphrase(subject: Subject, used: str, value: str, *, number: int, wording: str) -> str:
    """State, in one of ten ways, that one value should be another."""
    name = subject.names[0 if wording == "templates" else number % len(subject.names)]
    if wording == "synonyms":
        words = {"wrong": WRONG[number % len(WRONG)], "use": USE[number % len(USE)], "instead": INSTEAD[number % 3]}
        return SYNONYM_TEMPLATE.format(name=name, used=used, value=value, **words)
    return TEMPLATES[number].format(name=name, used=used, value=value)
