"""What a model gives a tool, held against the tool's schema before it is run. Pure.

Looks at the names and types of the arguments themselves; what lies deeper is for the tool. Nothing is guessed: a value
is changed only where nothing is lost by it, such as 3.0 for a whole number.
"""

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any

from openkoi_hookspecs import Arguments, Json, ToolError

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}
FLAGS = {"true": True, "false": False}


def fitted(arguments: Arguments, schema: Arguments) -> dict[str, Json]:
    """The arguments in the types of the schema; raises ToolError that says what is expected instead."""
    properties, named = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    required = [str(name) for name in named] if isinstance(named, list) else []
    given = {name: value for name, value in arguments.items() if not left_out(value, known.get(name))}
    if schema.get("additionalProperties") is False:
        refuse_unknown(given, known, required)
    for name in required:
        if name not in given:
            raise ToolError(f"The argument {name!r} is missing. Expected: {expected(known, required)}.")
    return {name: fit(name, value, known.get(name)) for name, value in given.items()}


def left_out(value: Json, fact: Json) -> bool:
    """Whether null stands for what was left out: where it is no value."""
    kinds = types_of(fact)
    return value is None and bool(kinds) and "null" not in kinds


def refuse_unknown(arguments: Arguments, known: Mapping[str, Json], required: Collection[str]) -> None:
    for name in arguments:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ToolError(f"There is no argument {name!r}.{hint} Expected: {expected(known, required)}.")


def fit(name: str, value: Json, fact: Json) -> Json:
    """One argument in one of its types, and not below its minimum."""
    found = converted(name, value, types_of(fact))
    least = fact.get("minimum") if isinstance(fact, dict) else None
    if isinstance(found, int) and isinstance(least, int) and found < least:
        raise ToolError(f"The argument {name!r} must be {least} or more, not {found}.")
    if isinstance(found, str):
        refuse_halves(name, found)
    if isinstance(found, list) and isinstance(fact, dict):
        fact_of_one = fact.get("items")
        return [fit(f"{name}[{place}]", one, fact_of_one) for place, one in enumerate(found)]
    return found


def converted(name: str, value: Json, kinds: Collection[str]) -> Json:
    if not kinds or any(is_of(value, kind) for kind in kinds):
        return value
    for kind in kinds:
        if (found := LOSSLESS.get(kind, nothing)(value)) is not None:
            return found
    shown = repr(value)
    said = shown if len(shown) <= 60 else f"{shown[:60]}…"
    raise ToolError(f"The argument {name!r} must be {words(kinds)}, not {said}.")


def refuse_halves(name: str, text: str) -> None:
    """Raise for text with half a character in it, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"half a character (a lone surrogate) at offset {error.start}"
        raise ToolError(f"The argument {name!r} holds {half}. Write it whole.") from None


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


def words(kinds: Collection[str]) -> str:
    return " or ".join(KINDS[kind] for kind in kinds) or "anything"


def expected(known: Mapping[str, Json], required: Collection[str]) -> str:
    """The arguments there are, with what they should be."""
    named = (
        f"{name} ({words(types_of(fact))}{'' if name in required else ', optional'})" for name, fact in known.items()
    )
    return ", ".join(named) or "none"
