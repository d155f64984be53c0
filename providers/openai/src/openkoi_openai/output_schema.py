"""Convert a JSON Schema for structured output.

Strict mode is requested only when it accepts exactly the same answers as the schema. Only keywords without effect on
validity are dropped for it.
"""

import re
from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json
from openkoi_hookspecs.lazy_pattern import lazy_pattern

INVALID_NAME_CHARACTERS = lazy_pattern(r"[^\w-]+", re.ASCII)
ANNOTATION_KEYWORDS = frozenset({"$comment", "$schema", "default", "deprecated", "examples", "readOnly", "writeOnly"})
SCHEMA_MAPS = frozenset({"properties", "$defs", "definitions"})
STRICT_KEYWORDS = SCHEMA_MAPS | {
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
STRICT_FORMATS = frozenset({"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid", None})
MAX_SCHEMA_DEPTH = 10


def convert_schema(schema: Arguments) -> dict[str, Json]:
    """Return a named schema, strict where possible."""
    named: dict[str, Json] = {"name": INVALID_NAME_CHARACTERS.sub("_", str(schema.get("title") or "answer"))[:64]}
    exact = strict_schema(schema)
    return {**named, "schema": dict(schema)} if exact is None else {**named, "schema": exact, "strict": True}


def strict_schema(schema: Arguments) -> dict[str, Json] | None:
    """Return the schema for strict mode, or None when strict mode would change its meaning."""
    plain = drop_annotations(dict(schema))
    fits = isinstance(plain, dict) and plain.get("type") == "object" and is_strict(plain, MAX_SCHEMA_DEPTH)
    return plain if fits and isinstance(plain, dict) else None


def drop_annotations(schema: Json) -> Json:
    """Return a schema without keywords that do not affect validity."""
    if isinstance(schema, list):
        return [drop_annotations(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    remarks = ANNOTATION_KEYWORDS | {"description", "title"} if "$ref" in schema else ANNOTATION_KEYWORDS
    return {key: drop_nested_annotations(key, value) for key, value in schema.items() if key not in remarks}


def drop_nested_annotations(key: str, value: Json) -> Json:
    """Apply ``drop_annotations`` to a keyword's value, except where it contains names or literals."""
    if key in SCHEMA_MAPS and isinstance(value, dict):
        return {name: drop_annotations(inner) for name, inner in value.items()}
    return value if key in {"enum", "const", "required"} else drop_annotations(value)


def is_strict(schema: Json, levels: int) -> bool:
    """Return whether strict mode preserves the meaning of a schema."""
    if not isinstance(schema, dict) or levels == 0 or not schema.keys() <= STRICT_KEYWORDS:
        return False
    if "$ref" in schema:
        return len(schema) == 1
    if not schema.keys() & {"type", "anyOf"} or schema.get("format") not in STRICT_FORMATS:
        return False
    return is_closed(schema) and all(is_strict(inner, levels - 1) for inner in nested_schemas(schema))


def is_closed(schema: Mapping[str, Json]) -> bool:
    """Return whether objects require all their properties and allow no others, and arrays have items."""
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


def nested_schemas(schema: Mapping[str, Json]) -> list[Json]:
    """Return the direct subschemas of a schema."""
    found: list[Json] = [schema["items"]] if "items" in schema else []
    choices = schema.get("anyOf")
    found += choices if isinstance(choices, list) else []
    for key in SCHEMA_MAPS:
        named = schema.get(key)
        found += named.values() if isinstance(named, dict) else []
    return found
