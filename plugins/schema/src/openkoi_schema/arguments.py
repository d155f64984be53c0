"""What a model gives a tool, held against the tool's schema before it is run. Pure.

Looks at the names and types of the arguments themselves; what lies deeper is for the tool. Nothing is guessed: a value
is changed only where nothing is lost by it, such as 3.0 for a whole number.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from openkoi_hookspecs import Arguments, Json, ToolFault

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
FLAGS = {"true": True, "false": False}


def fitted(arguments: Arguments, schema: Arguments) -> Arguments:
    """The arguments in the types of the schema; raises ToolFault that says what is expected instead."""
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    for name in required if isinstance(required, list) else ():
        if name not in arguments:
            raise ToolFault(f"The argument {name!r} is missing. Expected: {expected(known)}.")
    if schema.get("additionalProperties") is False:
        refuse_unknown(arguments, known)
    return {name: fit(name, value, known.get(name)) for name, value in arguments.items()}


def refuse_unknown(arguments: Arguments, known: Mapping[str, Json]) -> None:
    for name in arguments:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ToolFault(f"There is no argument {name!r}.{hint} Expected: {expected(known)}.")


def fit(name: str, value: Json, fact: Json) -> Json:
    """One argument in one of its types."""
    kinds = types_of(fact)
    if not kinds or any(is_of(value, kind) for kind in kinds):
        return value
    for kind in kinds:
        if (found := LOSSLESS.get(kind, nothing)(value)) is not None:
            return found
    shown = repr(value)
    raise ToolFault(f"The argument {name!r} must be {' or '.join(kinds)}, not {shown[:60]}.")


def types_of(fact: Json) -> list[str]:
    kind = fact.get("type") if isinstance(fact, dict) else None
    return [one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str) and one in TYPES]


def is_of(value: Json, kind: str) -> bool:
    """Whether a value is of a type of JSON, where true and false are no numbers."""
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def whole(value: Json) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    digits = value.strip() if isinstance(value, str) else ""
    return int(digits) if digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) < 16 else None


def flag(value: Json) -> bool | None:
    return FLAGS.get(value.lower()) if isinstance(value, str) else None


def nothing(value: Json) -> None:
    return None


LOSSLESS: Mapping[str, Callable[[Any], Json]] = {"integer": whole, "boolean": flag}


def expected(known: Mapping[str, Json]) -> str:
    """The arguments there are, with their types."""
    named = (f"{name} ({' or '.join(types_of(fact)) or 'anything'})" for name, fact in known.items())
    return ", ".join(named) or "none"
