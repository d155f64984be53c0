"""Find invalid JSON Schema in the parameters of a tool; vendors reject every request that contains it."""

from collections.abc import Iterator
from typing import Any

TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}
NAMED_PARTS = ("properties", "$defs", "definitions", "patternProperties")
LISTED_PARTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE_PARTS = ("items", "additionalProperties", "not")


def find_schema_errors(schema: Any, place: str = "parameters") -> Iterator[str]:
    """Yield a sentence for each part that is not valid JSON Schema."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{place} is {schema!r:.40}, not a schema"
        return
    kinds = schema.get("type", [])
    if wrong := [one for one in (kinds if isinstance(kinds, list) else [kinds]) if one not in TYPES]:
        yield f"{place}.type is {wrong[0]!r}; use {', '.join(sorted(TYPES))}"
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(one, str) for one in required):
        yield f"{place}.required is {required!r:.40}, not a list of names"
    if not isinstance(schema.get("enum", []), list):
        yield f"{place}.enum is {schema['enum']!r:.40}, not a list"
    yield from find_errors_in_parts(schema, place)


def find_errors_in_parts(schema: dict[str, Any], place: str) -> Iterator[str]:
    """Yield a sentence for each part of the schemas that a schema contains."""
    for part in (one for one in NAMED_PARTS if one in schema):
        if not isinstance(named := schema[part], dict):
            yield f"{place}.{part} is {named!r:.40}, not an object"
            continue
        for name, one in named.items():
            yield from find_schema_errors(one, f"{place}.{part}.{name}")
    for part in (one for one in LISTED_PARTS if one in schema):
        if not isinstance(listed := schema[part], list):
            yield f"{place}.{part} is {listed!r:.40}, not a list"
            continue
        for number, one in enumerate(listed):
            yield from find_schema_errors(one, f"{place}.{part}[{number}]")
    for part in (one for one in SINGLE_PARTS if one in schema):
        yield from find_schema_errors(schema[part], f"{place}.{part}")
