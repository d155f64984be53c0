"""Parse an evaluator's part of a SKILL.md: what is scored, or what must occur."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from math import isclose

from .front import Front, mapping, one_line, words
from .problem import Problem, Unusable
from .skill import EVALUATOR, Skill

ALIASES = {"docs": "documentation", "doc": "documentation", "error_response": "error_responses"}
FLOOR = "general"
OF = ("text", "finalToolResult", "cycles", "terminatedBy")
TOLERANCE = 0.01
NO_DIMENSIONS = "it has no list of metadata.dimensions, each with name and weight"


class Method(StrEnum):
    """How an evaluator comes to its opinion."""

    RUBRIC = "rubric"
    LLM_JUDGE = "llm_judge"
    CONTAINS = "contains"
    REGEX = "regex"

    @property
    def asks_no_model(self) -> bool:
        """Whether no model is asked."""
        return self in (Method.CONTAINS, Method.REGEX)


def canonical(name: str) -> str:
    """Make one name of the spellings of a dimension or category: ``Error responses`` is ``error_responses``."""
    key = re.sub(r"[\s_-]+", "_", name.strip().casefold())
    return ALIASES.get(key, key)


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is scored; the weights of a rubric sum to one."""

    name: str
    weight: float
    description: str = ""

    @property
    def key(self) -> str:
        """The name as it is compared."""
        return canonical(self.name)


ANSWER = Dimension("verdict", 1.0, "The answer to the question that the evaluator's text asks about the work.")


@dataclass(frozen=True, slots=True)
class Rubric:
    """A yardstick for one kind of work. ``guide`` is what a judge reads; no ``categories`` means: only by name."""

    name: str
    dimensions: tuple[Dimension, ...] = ()
    _: KW_ONLY
    description: str = ""
    categories: tuple[str, ...] = ()
    guide: str = ""
    method: Method = Method.RUBRIC
    of: str = OF[0]
    expect: tuple[str, ...] = ()

    def rule(self, dimension: str) -> str:
        """Name a dimension of this rubric as findings do."""
        return f"{self.name}/{dimension}"

    def find_dimension(self, name: str) -> Dimension | None:
        """Find a dimension by any spelling of its name."""
        return next((dimension for dimension in self.dimensions if dimension.key == canonical(name)), None)


def rubric_of(skill: Skill) -> Rubric:
    """Read a skill as an evaluator. Raises Unusable with the first reason why it is none."""
    if found := [problem for problem in amiss(skill) if problem.fatal]:
        raise Unusable(found[0])
    facts = facts_of(skill)
    method = Method(text_of(facts, "method", Method.RUBRIC))
    dimensions = tuple(dimension(mapping(item)) for item in to_list(facts.get("dimensions")))
    return Rubric(
        skill.name,
        dimensions or ((ANSWER,) if method is Method.LLM_JUDGE else ()),
        description=skill.description,
        categories=words(facts.get("categories")),
        guide=skill.body,
        method=method,
        of=canonical_source(text_of(facts, "of", OF[0])),
        expect=to_texts(facts.get("expect")),
    )


def amiss(skill: Skill) -> Iterator[Problem]:
    """All that is wrong with a skill as an evaluator."""
    front, facts = skill.front, facts_of(skill)
    if skill.kind != EVALUATOR:
        yield Problem(f"its kind is {skill.kind!r}, not {EVALUATOR!r}", front.line("kind"))
    method = text_of(facts, "method", Method.RUBRIC)
    if method not in set(Method):
        yield Problem(f"its method is {method!r}; there are {', '.join(Method)}", place(front, "method"))
    elif Method(method).asks_no_model:
        yield from check_expectations(facts, front)
    elif "dimensions" in facts or method == Method.RUBRIC:
        yield from check_dimensions(facts.get("dimensions"), front)
    yield from check_required_fields(skill, facts)


def check_expectations(facts: Mapping[str, object], front: Front) -> Iterator[Problem]:
    """Yield problems with the expectations."""
    if not to_texts(facts.get("expect")):
        yield Problem("it has no metadata.expect, the text or pattern that has to be there", place(front, "expect"))
    if canonical_source(text_of(facts, "of", OF[0])) not in OF:
        yield Problem(f"its metadata.of is {facts['of']!r}; there are {', '.join(OF)}", place(front, "of"))
    for pattern in to_texts(facts.get("expect")) if text_of(facts, "method", "") == Method.REGEX else ():
        try:
            re.compile(pattern)
        except re.error as error:
            yield Problem(f"{pattern!r} is not a regular expression: {error}", place(front, "expect"))


def check_dimensions(value: object, front: Front) -> Iterator[Problem]:
    """Yield problems with the dimensions."""
    items = [mapping(item) for item in to_list(value)]
    if not items:
        yield Problem(NO_DIMENSIONS, place(front, "dimensions"))
        return
    for n, item in enumerate(items):
        name = one_line(item.get("name"))
        if not name:
            yield Problem("one of its dimensions has no name", place(front, "dimensions", n))
        elif not 0 < weight(item.get("weight")) <= 1:
            text = f"the weight of its dimension {name!r} is {item.get('weight')!r}"
            yield Problem(f"{text}, and has to be a number above 0, up to 1", place(front, "dimensions", n, "weight"))
    if len({dimension(item).key for item in items}) < len(items):
        yield Problem("two of its dimensions have the same name", place(front, "dimensions"))
    total = sum(weight(item.get("weight")) for item in items)
    if not isclose(total, 1.0, abs_tol=TOLERANCE):
        yield Problem(f"the weights of its dimensions sum to {total:g}, and have to be 1.0", place(front, "dimensions"))


def check_required_fields(skill: Skill, facts: Mapping[str, object]) -> Iterator[Problem]:
    """Yield fields that the format requires and readers do without."""
    for n, item in enumerate(to_list(facts.get("dimensions"))):
        if not one_line(mapping(item).get("description")):
            name, line = one_line(mapping(item).get("name")), place(skill.front, "dimensions", n)
            yield Problem(f"its dimension {name!r} has no description", line, fatal=False)
    if not words(facts.get("categories")) and skill.name != FLOOR:
        text = "it has no metadata.categories, so that it is only found by its name"
        yield Problem(text, place(skill.front, "categories"), fatal=False)


def facts_of(skill: Skill) -> Mapping[str, object]:
    """Where an evaluator's facts stand: in the metadata, or beside it."""
    return {**skill.front.facts, **skill.metadata}


def place(front: Front, *keys: str | int) -> int:
    """The line of one of its facts."""
    return front.line(*keys) if keys[0] in front.facts else front.line("metadata", *keys)


def to_list(value: object) -> list[object]:
    """Return a list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def dimension(facts: Mapping[str, object]) -> Dimension:
    """Take one dimension."""
    return Dimension(one_line(facts.get("name")), weight(facts.get("weight")), one_line(facts.get("description")))


def weight(value: object) -> float:
    """Take a number; nought for what is none."""
    try:
        number = float(str(value))
    except ValueError:
        return 0.0
    return number if number == number else 0.0


def text_of(facts: Mapping[str, object], name: str, default: str) -> str:
    """Return a text under a key, or the default."""
    return one_line(facts.get(name)) or str(default)


def canonical_source(of: str) -> str:
    """Return the usual name of what is examined."""
    return next((name for name in OF if name.casefold() == of.casefold().replace("_", "")), of)


def to_texts(value: object) -> tuple[str, ...]:
    """Return one text or several, unchanged."""
    several = value if isinstance(value, list) else [value]
    return tuple(str(one) for one in several if isinstance(one, str | int | float) and str(one))
