"""Validate an agent's YAML file against the schema; each error names the location, what is expected, a suggestion."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from openkoi_hookspecs.lazy_dataclass import dataclass

from .document import Path, Scalar, SpecProblem, YamlDocument, abbreviate_value
from .shape import CONDITIONS, AgentShape, Shape

BOTH = (
    "iteration (line {one}) and composite (line {other}) cannot be combined: an agent either iterates or leads a team"
)
TWICE = "instructions (line {one}) and instructions_file (line {other}) cannot be combined"
INSTEAD = "{word} (line {{one}}) and worker (line {{other}}) cannot be combined: a worker does the work in its own way"
EXCLUSIVE = (
    ("iteration", "composite", BOTH),
    ("iteration", "worker", INSTEAD.format(word="iteration")),
    ("composite", "worker", INSTEAD.format(word="composite")),
    ("instructions", "instructions_file", TWICE),
)
FEWEST = {"debate": 2, "iterative": 2}
ROUNDS = frozenset(FEWEST)
LEAVE = "Remove one of them"


@dataclass(frozen=True, slots=True)
class Part:
    """An agent in a document: the whole document, or an agent inside another."""

    document: YamlDocument
    path: Path = ()

    @property
    def data(self) -> object:
        """The values of the part."""
        return self.at(())

    def at(self, path: Path) -> object:
        """Return the value at a path; None if there is none."""
        here = self.document.data
        for step in (*self.path, *path):
            if isinstance(here, dict):
                here = here.get(step)
            else:
                here = here[step] if isinstance(here, list) and isinstance(step, int) and step < len(here) else None
        return here

    def has(self, *path: str | int) -> bool:
        """Return whether a key exists."""
        return (*self.path, *path) in self.document.keys

    def line(self, *path: str | int) -> int:
        """Return the line of a key."""
        return self.document.line((*self.path, *path))

    def make_problem(self, path: Path, text: str, *, key: bool = False) -> SpecProblem:
        """Add an error about the value at a path."""
        whole = (*self.path, *path)
        sentence = f"{format_path(whole)} {text}"
        return self.document.make_problem(whole, sentence if sentence.endswith("?") else f"{sentence}.", key=key)


def check_shape(part: Part, faults: list[SpecProblem]) -> AgentShape | None:
    """Return the agent's shape, or None with its problems."""
    found = list(find_contradictions(part))
    shape = None
    try:
        shape = AgentShape.model_validate(part.data)
    except ValidationError as error:
        found += [fault_of(one, part) for one in error.errors(include_url=False)]
    faults += dict.fromkeys(found)
    return None if found else shape


def find_contradictions(part: Part) -> Iterator[SpecProblem]:
    """Yield errors about combinations of keys: those that exclude, and those that require each other."""
    for one, other, text in EXCLUSIVE:
        if part.has(one) and part.has(other):
            lines = {"one": part.line(one), "other": part.line(other)}
            later = max((one, other), key=part.line)
            yield part.document.make_problem((*part.path, later), f"{text.format(**lines)}. {LEAVE}.", key=True)
    yield from of_approvals(part)
    yield from of_team(part)


def of_approvals(part: Part) -> Iterator[SpecProblem]:
    """Yield errors for exceptions from patterns: their calls would need approval anyway."""
    approvals = part.at(("tools", "approvals"))
    named = approvals if isinstance(approvals, dict) else {}
    asked = [pattern for pattern, word in named.items() if word == "always"]
    for name in (name for name, word in named.items() if word == "never"):
        if near := next((pattern for pattern in asked if fnmatchcase(name, pattern)), None):
            text = (
                f'cannot be "never", because {near!r}, which is "always", also matches it: list the tools '
                "that need approval one by one"
            )
            yield part.make_problem(("tools", "approvals", name), text, key=True)


def of_team(part: Part) -> Iterator[SpecProblem]:
    strategy, agents = part.at(("composite", "strategy")), part.at(("composite", "agents"))
    if not isinstance(strategy, str):
        return
    least = FEWEST.get(strategy, 1)
    if isinstance(agents, list) and len(agents) < least:
        yield part.make_problem(("composite", "agents"), f"must list at least {least} agents for a {strategy} team")
    if part.has("composite", "rounds") and strategy not in ROUNDS:
        yield part.make_problem(
            ("composite", "rounds"), f"applies only to {' and '.join(sorted(ROUNDS))} teams: remove it", key=True
        )


def fault_of(error: Mapping[str, Any], part: Part) -> SpecProblem:
    """Convert pydantic's error."""
    loc: Path = tuple(error["loc"])
    path = tuple(step for step in loc if step not in CONDITIONS)
    model, field = looked_up(loc)
    match error["type"]:
        case "missing":
            return part.make_problem(path, f"is missing; set it to {describe_expected(field)}")
        case "union_tag_not_found":
            return part.make_problem((*path, "kind"), f"is missing; set it to one of: {', '.join(CONDITIONS)}")
        case "extra_forbidden":
            return part.make_problem(path, f"is not a valid key here. {suggest_key(str(path[-1]), model)}", key=True)
    if error["type"] == "union_tag_invalid":
        path = (*path, "kind")
        return part.make_problem(path, f"must be one of {', '.join(CONDITIONS)}, not {abbreviate_value(part.at(path))}")
    wanted, found = describe_expected(field), describe_value(part, path)
    if path and isinstance(path[-1], int):
        return part.make_problem(path, f"is {found}, but {format_path((*part.path, *path[:-1]))} must be {wanted}")
    return part.make_problem(path, f"must be {wanted}, not {found}")


def describe_value(part: Part, path: Path) -> str:
    value = part.at(path)
    if isinstance(value, list):
        return f"a list of {len(value)} {'value' if len(value) == 1 else 'values'}"
    return "nothing" if value is None or value == Scalar("", None) else abbreviate_value(value)


def looked_up(loc: Path) -> tuple[type[Shape], FieldInfo | None]:
    """Return the innermost table on a path, and the field at its end."""
    model: type[Shape] = AgentShape
    field: FieldInfo | None = None
    for step in loc:
        if step in CONDITIONS:
            model, field = CONDITIONS[str(step)], None
        elif isinstance(step, str) and step in model.model_fields:
            field = model.model_fields[step]
            model = next(tables_in(field.annotation), model)
    return model, field


def tables_in(annotation: object) -> Iterator[type[Shape]]:
    """Return the tables that a field may contain, unless their kind must be known first."""
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        yield annotation
    elif not isinstance(annotation, type):
        found = [one for part in get_args(annotation) for one in tables_in(part)]
        yield from found if len(found) == 1 else ()


def describe_expected(field: FieldInfo | None) -> str:
    return (field.description if field else None) or "a table with identity, instructions and tools"


def suggest_key(key: str, model: type[Shape]) -> str:
    """Return the most similar known key, or all keys."""
    known = [*model.model_fields]
    near = get_close_matches(key, known, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    fields = AgentShape.model_fields.items()
    homes = [name for name, field in fields for one in tables_in(field.annotation) if key in one.model_fields]
    return f"It belongs under {homes[0]}" if homes else f"Valid keys: {', '.join(known)}"


def format_path(path: Path) -> str:
    """Return ``composite.agents[2].tools``: the keys that lead to a value."""
    words = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{word(step)}" for step in path)
    return words.removeprefix(".") or "the file"


def word(step: str) -> str:
    return step if step.isprintable() and len(step) <= 60 else abbreviate_value(step)
