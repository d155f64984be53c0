"""Parse an evaluator's part of a SKILL.md: scored dimensions, or expected text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY
from enum import StrEnum
from math import isclose

from openkoi_hookspecs.lazy_dataclass import dataclass

from .front_matter import FrontMatter, to_line, to_mapping, to_words
from .problem import InvalidSkillError, Problem
from .skill import EVALUATOR, Skill

ALIASES = {"docs": "documentation", "doc": "documentation", "error_response": "error_responses"}
DEFAULT_NAME = "general"
SOURCES = ("text", "finalToolResult", "cycles", "terminatedBy")
WEIGHT_TOLERANCE = 0.01  # allows thirds with two digits: 3 x 0.33 (arithmetic)
NO_DIMENSIONS = "metadata.dimensions is missing; set it to a list of entries with name and weight"


class Method(StrEnum):
    """How an evaluator judges."""

    RUBRIC = "rubric"
    LLM_JUDGE = "llm_judge"
    CONTAINS = "contains"
    REGEX = "regex"

    @property
    def asks_no_model(self) -> bool:
        """Whether it judges without a model."""
        return self in (Method.CONTAINS, Method.REGEX)


def canonical_name(name: str) -> str:
    """Normalise the name of a dimension or category: ``Error responses`` becomes ``error_responses``."""
    key = re.sub(r"[\s_-]+", "_", name.strip().casefold())
    return ALIASES.get(key, key)


@dataclass(frozen=True, slots=True)
class Dimension:
    """A scored dimension; the weights of a rubric sum to 1."""

    name: str
    weight: float
    description: str = ""

    @property
    def key(self) -> str:
        """The normalised name, for comparison."""
        return canonical_name(self.name)


ANSWER_DIMENSION = Dimension("verdict", 1.0, "How well the work answers the question in the evaluator's text.")


@dataclass(frozen=True, slots=True)
class Rubric:
    """The criteria for one kind of work; ``guide`` is the judge's prompt. Without ``categories`` it is used by name."""

    name: str
    dimensions: tuple[Dimension, ...] = ()
    _: KW_ONLY
    description: str = ""
    categories: tuple[str, ...] = ()
    guide: str = ""
    method: Method = Method.RUBRIC
    of: str = SOURCES[0]
    expect: tuple[str, ...] = ()

    def rule(self, dimension: str) -> str:
        """Return the rule name of findings about a dimension."""
        return f"{self.name}/{dimension}"

    def find_dimension(self, name: str) -> Dimension | None:
        """Return the dimension by any spelling of its name."""
        return next((dimension for dimension in self.dimensions if dimension.key == canonical_name(name)), None)


def parse_rubric(skill: Skill) -> Rubric:
    """Parse a skill as an evaluator; raise InvalidSkillError with the first problem."""
    if found := [problem for problem in check_evaluator(skill) if problem.fatal]:
        raise InvalidSkillError(found[0])
    facts = merge_facts(skill)
    method = Method(get_text(facts, "method", Method.RUBRIC))
    dimensions = tuple(parse_dimension(to_mapping(item)) for item in to_list(facts.get("dimensions")))
    return Rubric(
        skill.name,
        dimensions or ((ANSWER_DIMENSION,) if method is Method.LLM_JUDGE else ()),
        description=skill.description,
        categories=to_words(facts.get("categories")),
        guide=skill.body,
        method=method,
        of=canonical_source(get_text(facts, "of", SOURCES[0])),
        expect=to_texts(facts.get("expect")),
    )


def check_evaluator(skill: Skill) -> Iterator[Problem]:
    """Yield the reasons why a skill cannot be used as an evaluator."""
    front, facts = skill.front, merge_facts(skill)
    if skill.kind != EVALUATOR:
        yield Problem(f"its kind is {skill.kind!r}, not {EVALUATOR!r}", front.line("kind"))
    method = get_text(facts, "method", Method.RUBRIC)
    if method not in set(Method):
        yield Problem(f"unknown method {method!r}; use one of {', '.join(Method)}", find_line(front, "method"))
    elif Method(method).asks_no_model:
        yield from check_expectations(facts, front)
    elif "dimensions" in facts or method == Method.RUBRIC:
        yield from check_dimensions(facts.get("dimensions"), front)
    yield from check_required_fields(skill, facts)


def check_expectations(facts: Mapping[str, object], front: FrontMatter) -> Iterator[Problem]:
    """Yield problems with the expectations."""
    if not to_texts(facts.get("expect")):
        yield Problem("metadata.expect is missing; set it to the expected text or pattern", find_line(front, "expect"))
    if canonical_source(get_text(facts, "of", SOURCES[0])) not in SOURCES:
        yield Problem(f"unknown metadata.of {facts['of']!r}; use one of {', '.join(SOURCES)}", find_line(front, "of"))
    for pattern in to_texts(facts.get("expect")) if get_text(facts, "method", "") == Method.REGEX else ():
        try:
            re.compile(pattern)
        except re.error as error:
            yield Problem(f"{pattern!r} is not a regular expression: {error}", find_line(front, "expect"))


def check_dimensions(value: object, front: FrontMatter) -> Iterator[Problem]:
    """Yield problems with the dimensions."""
    items = [to_mapping(item) for item in to_list(value)]
    if not items:
        yield Problem(NO_DIMENSIONS, find_line(front, "dimensions"))
        return
    for n, item in enumerate(items):
        name = to_line(item.get("name"))
        if not name:
            yield Problem("a dimension has no name", find_line(front, "dimensions", n))
        elif not 0 < parse_weight(item.get("weight")) <= 1:
            text = f"the weight of dimension {name!r} is {item.get('weight')!r}; set it to a number above 0 and up to 1"
            yield Problem(text, find_line(front, "dimensions", n, "weight"))
    if len({parse_dimension(item).key for item in items}) < len(items):
        yield Problem("two dimensions have the same name", find_line(front, "dimensions"))
    total = sum(parse_weight(item.get("weight")) for item in items)
    if not isclose(total, 1.0, abs_tol=WEIGHT_TOLERANCE):
        yield Problem(f"the weights of the dimensions sum to {total:g}, not 1.0", find_line(front, "dimensions"))


def check_required_fields(skill: Skill, facts: Mapping[str, object]) -> Iterator[Problem]:
    """Yield missing fields that the format requires and this reader does not."""
    for n, item in enumerate(to_list(facts.get("dimensions"))):
        if not to_line(to_mapping(item).get("description")):
            name, line = to_line(to_mapping(item).get("name")), find_line(skill.front, "dimensions", n)
            yield Problem(f"dimension {name!r} has no description", line, fatal=False)
    if not to_words(facts.get("categories")) and skill.name != DEFAULT_NAME:
        text = "metadata.categories is missing, so the evaluator is used only for tasks that name it"
        yield Problem(text, find_line(skill.front, "categories"), fatal=False)


def merge_facts(skill: Skill) -> Mapping[str, object]:
    """Return the metadata, and fields that are next to it."""
    return {**skill.front.facts, **skill.metadata}


def find_line(front: FrontMatter, *keys: str | int) -> int:
    """Return the line of one of its values."""
    return front.line(*keys) if keys[0] in front.facts else front.line("metadata", *keys)


def to_list(value: object) -> list[object]:
    """Return a list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def parse_dimension(facts: Mapping[str, object]) -> Dimension:
    """Parse a dimension."""
    return Dimension(to_line(facts.get("name")), parse_weight(facts.get("weight")), to_line(facts.get("description")))


def parse_weight(value: object) -> float:
    """Parse a number; 0 for anything else."""
    try:
        number = float(str(value))
    except ValueError:
        return 0.0
    return number if number == number else 0.0


def get_text(facts: Mapping[str, object], name: str, default: str) -> str:
    """Return a text under a key, or the default."""
    return to_line(facts.get(name)) or str(default)


def canonical_source(of: str) -> str:
    """Return the canonical name of the examined part."""
    return next((name for name in SOURCES if name.casefold() == of.casefold().replace("_", "")), of)


def to_texts(value: object) -> tuple[str, ...]:
    """Return one or several texts as a tuple."""
    several = value if isinstance(value, list) else [value]
    return tuple(str(one) for one in several if isinstance(one, str | int | float) and str(one))
