"""Validate and coerce a tool's arguments against its schema.

Only the names and types of the arguments themselves are checked; what lies deeper is for the tool. Nothing is guessed:
a value is changed only where nothing is lost, such as 3.0 for a whole number.
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
TYPE_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}
FLAGS = {"true": True, "false": False}


def coerce_arguments(arguments: Arguments, schema: Arguments) -> dict[str, Json]:
    """Convert the arguments to the types of the schema; raise ToolError with what is expected."""
    properties, named = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    required = [str(name) for name in named] if isinstance(named, list) else []
    given = {name: value for name, value in arguments.items() if not is_omitted(value, known.get(name))}
    if schema.get("additionalProperties") is False:
        refuse_unknown(given, known, required)
    for name in required:
        if name not in given:
            raise ToolError(f"The argument {name!r} is missing. Expected: {describe_expected(known, required)}.")
    return {name: coerce_argument(name, value, known.get(name)) for name, value in given.items()}


def is_omitted(value: Json, fact: Json) -> bool:
    """Return whether null means an omitted argument, because the schema does not allow null."""
    kinds = schema_types(fact)
    return value is None and bool(kinds) and "null" not in kinds


def refuse_unknown(arguments: Arguments, known: Mapping[str, Json], required: Collection[str]) -> None:
    for name in arguments:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ToolError(f"Unknown argument {name!r}.{hint} Expected: {describe_expected(known, required)}.")


def coerce_argument(name: str, value: Json, fact: Json) -> Json:
    """Return one argument converted to one of its types; check its minimum."""
    found = convert(name, value, schema_types(fact))
    least = fact.get("minimum") if isinstance(fact, dict) else None
    if isinstance(found, int) and isinstance(least, int) and found < least:
        raise ToolError(f"The argument {name!r} must be {least} or more, not {found}.")
    if isinstance(found, str):
        refuse_surrogates(name, found)
    if isinstance(found, list) and isinstance(fact, dict):
        fact_of_one = fact.get("items")
        return [coerce_argument(f"{name}[{place}]", one, fact_of_one) for place, one in enumerate(found)]
    return found


def convert(name: str, value: Json, kinds: Collection[str]) -> Json:
    if not kinds or any(is_of_type(value, kind) for kind in kinds):
        return value
    for kind in kinds:
        if (found := LOSSLESS.get(kind, parse_null)(value)) is not None:
            return found
    literal = repr(value)
    text = literal if len(literal) <= 60 else f"{literal[:60]}…"
    raise ToolError(f"The argument {name!r} must be {join_type_names(kinds)}, not {text}.")


def refuse_surrogates(name: str, text: str) -> None:
    """Raise ToolError for text with a lone surrogate, which no file can contain."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"half a character (a lone surrogate) at offset {error.start}"
        raise ToolError(f"The argument {name!r} contains {half}. Write the whole character.") from None


def schema_types(fact: Json) -> list[str]:
    kind = fact.get("type") if isinstance(fact, dict) else None
    return [one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str) and one in TYPES]


def is_of_type(value: Json, kind: str) -> bool:
    """Return whether a value is of a type of JSON, where true and false are not numbers."""
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def parse_integer(value: Json) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    digits = value.strip() if isinstance(value, str) else ""
    return int(digits) if digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) < 16 else None


def parse_boolean(value: Json) -> bool | None:
    return FLAGS.get(value.lower()) if isinstance(value, str) else None


def parse_null(value: Json) -> None:
    return None


LOSSLESS: Mapping[str, Callable[[Any], Json]] = {"integer": parse_integer, "boolean": parse_boolean}


def join_type_names(kinds: Collection[str]) -> str:
    return " or ".join(TYPE_NAMES[kind] for kind in kinds) or "anything"


def describe_expected(known: Mapping[str, Json], required: Collection[str]) -> str:
    """Return the known arguments, with their types."""
    named = (
        f"{name} ({join_type_names(schema_types(fact))}{'' if name in required else ', optional'})"
        for name, fact in known.items()
    )
    return ", ".join(named) or "none"
