"""Find which functions of a script are hooks, and report their errors."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from openkoi_hookspecs import hooks
from openkoi_hookspecs.lazy_dataclass import dataclass

from .process import ScriptError

CLOSE_NAME = 0.85  # similarity to a hook's name from which a function's name is a typo (estimate)
WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a script. ``hook`` is the hook that it implements, if any."""

    name: str
    place: str
    hook: str = ""
    facts: tuple[str, ...] | None = None


def find_functions(described: Sequence[Mapping[str, Any]], file: str) -> list[Function]:
    """Return the hooks of a script; raise ScriptError if one has a wrong parameter."""
    found = [read_function(one, file) for one in described]
    names = [one.hook for one in found if one.hook]
    for one in found:
        if names.count(one.hook) > 1:
            raise ScriptError(f"{one.place}: {one.hook} is implemented twice")
    return [one for one in found if one.hook]


def read_function(described: Mapping[str, Any], file: str) -> Function:
    """Return a function with its role."""
    name = described["name"]
    place = f"{file}:{described['line']}:{described['column']}"
    spelled = name if name.startswith("_") else WORD_START.sub("_", name).lower()
    known = hook_names()
    if spelled in known:
        refuse_unknown_parameters(described, known[spelled], file)
        facts = (
            None
            if described["takes_all"]
            else tuple(one for one, *_ in described["parameters"] if one in known[spelled])
        )
        return Function(name, place, hook=spelled, facts=facts)
    return Function(name, place)


def refuse_unknown_parameters(described: Mapping[str, Any], known: Sequence[str], file: str) -> None:
    """Raise ScriptError for a parameter that a hook does not have."""
    for name, line, column in described["parameters"]:
        if name not in known and name not in described["optional"]:
            takes = f"{described['name']} has the unknown parameter {name!r}. Use {', '.join(known)}."
            raise ScriptError(f"{file}:{line}:{column}: {takes}")


def find_misspelled(described: Iterable[Mapping[str, Any]], file: str) -> Iterator[tuple[str, str]]:
    """Yield each function that is almost named like a hook, with a sentence about it."""
    known = hook_names()
    for one in described:
        spelled = WORD_START.sub("_", one["name"]).lower()
        close = get_close_matches(spelled, known, 1, CLOSE_NAME)
        if close and spelled not in known and not one["name"].startswith("_"):
            place = f"{file}:{one['line']}:{one['column']}"
            yield one["name"], f"{place}: {one['name']} is never called. Did you mean {close[0]}?"


@cache
def hook_names() -> Mapping[str, tuple[str, ...]]:
    """Return the parameters of every hook."""
    return {name: tuple(inspect.signature(one).parameters) for name, one in vars(hooks).items() if is_hook(one)}


def is_hook(value: object) -> bool:
    return hasattr(value, "openkoi_spec")
