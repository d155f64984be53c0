"""A JSON Schema as the vendor can hold an answer to it: objects are closed, and what it cannot check is told in words.

Knows what the vendor checks; knows no request.
"""

import json
from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json

KEPT = frozenset({"type", "title", "description", "enum", "const", "properties", "required", "items", "$ref"})
WITHIN = {"properties": True, "$defs": True, "definitions": True, "items": False}
CHOICES = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}
FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
)


def held_to(schema: Arguments) -> dict[str, Json]:
    """Write a schema anew, each part of it."""
    if "$ref" in schema:
        return {key: inner(key, value) for key, value in schema.items() if key in WITHIN or key == "$ref"}
    known = {CHOICES.get(key, key): inner(key, value) for key, value in schema.items() if checked(key, value)}
    said = {key: value for key, value in schema.items() if not checked(key, value) and key != "additionalProperties"}
    if schema.get("type") == "object":
        known["additionalProperties"] = False
        known.setdefault("properties", {})
    if said:
        known["description"] = "\n\n".join(filter(None, (str(known.get("description") or ""), in_words(said))))
    return known


def checked(key: str, value: Json) -> bool:
    """Whether the vendor holds an answer to this."""
    if key == "format":
        return value in FORMATS
    if key == "minItems":
        return value in (0, 1)
    return key in KEPT or key in WITHIN or key in CHOICES


def inner(key: str, value: Json) -> Json:
    """Write the schemas within a schema."""
    if key in CHOICES and isinstance(value, list):
        return [held_to(one) if isinstance(one, dict) else one for one in value]
    if not isinstance(value, dict) or key not in WITHIN:
        return value
    if not WITHIN[key]:
        return held_to(value)
    return {name: held_to(one) if isinstance(one, dict) else one for name, one in value.items()}


def in_words(said: Mapping[str, Json]) -> str:
    """Tell what cannot be checked."""
    return json.dumps(said, ensure_ascii=False)
