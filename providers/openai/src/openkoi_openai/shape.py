"""The shape of an answer: a JSON Schema as OpenAI's dialects want it. Knows what strict mode understands.

Strict mode is asked for only when it holds answers to exactly what the schema says: nothing is made required or
forbidden that was not. Only what says nothing about validity is left out for it.
"""

import re
from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json

NOT_A_NAME = re.compile(r"[^\w-]+", re.ASCII)
REMARKS = frozenset({"$comment", "$schema", "default", "deprecated", "examples", "readOnly", "writeOnly"})
NAMED = frozenset({"properties", "$defs", "definitions"})
UNDERSTOOD = NAMED | {
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "required",
    "title",
    "type",
}
FORMATS = frozenset({"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid", None})
DEEPEST = 10


def shape(schema: Arguments) -> dict[str, Json]:
    """Name a schema and say whether it is strict."""
    named: dict[str, Json] = {"name": NOT_A_NAME.sub("_", str(schema.get("title") or "answer"))[:64]}
    exact = strictly(schema)
    return {**named, "schema": dict(schema)} if exact is None else {**named, "schema": exact, "strict": True}


def strictly(schema: Arguments) -> dict[str, Json] | None:
    """Return the schema as strict mode reads it, or None when it would then not allow the same answers."""
    plain = bare(dict(schema))
    fits = isinstance(plain, dict) and plain.get("type") == "object" and exact(plain, DEEPEST)
    return plain if fits and isinstance(plain, dict) else None


def bare(schema: Json) -> Json:
    """Leave out what says nothing about validity."""
    if isinstance(schema, list):
        return [bare(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    remarks = REMARKS | {"description", "title"} if "$ref" in schema else REMARKS
    return {key: inside(key, value) for key, value in schema.items() if key not in remarks}


def inside(key: str, value: Json) -> Json:
    """Leave remarks out of what a keyword holds; names and values are not keywords."""
    if key in NAMED and isinstance(value, dict):
        return {name: bare(inner) for name, inner in value.items()}
    return value if key in {"enum", "const", "required"} else bare(value)


def exact(schema: Json, levels: int) -> bool:
    """Whether strict mode takes a schema to mean what it says."""
    if not isinstance(schema, dict) or levels == 0 or not schema.keys() <= UNDERSTOOD:
        return False
    if "$ref" in schema:
        return len(schema) == 1
    if not schema.keys() & {"type", "anyOf"} or schema.get("format") not in FORMATS:
        return False
    return closed(schema) and all(exact(inner, levels - 1) for inner in inner_schemas(schema))


def closed(schema: Mapping[str, Json]) -> bool:
    """Whether an object holds all of its properties and no others; what is no object is closed, a list has items."""
    kinds = schema.get("type")
    held = kinds if isinstance(kinds, list) else [kinds]
    if "array" in held and not isinstance(schema.get("items"), dict):
        return False
    if "object" not in held and "properties" not in schema:
        return True
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return False
    return schema.get("additionalProperties") is False and set(properties) == {str(name) for name in required}


def inner_schemas(schema: Mapping[str, Json]) -> list[Json]:
    """List the schemas that a schema is made of."""
    found: list[Json] = [schema["items"]] if "items" in schema else []
    choices = schema.get("anyOf")
    found += choices if isinstance(choices, list) else []
    for key in NAMED:
        named = schema.get(key)
        found += named.values() if isinstance(named, dict) else []
    return found
