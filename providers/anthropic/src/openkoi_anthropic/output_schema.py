"""Rewrite a JSON Schema for structured output: close objects, and describe unsupported keywords in text."""

import json
from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json

SUPPORTED_KEYWORDS = frozenset(
    {"type", "title", "description", "enum", "const", "properties", "required", "items", "$ref"}
)
NESTED_KEYWORDS = {"properties": True, "$defs": True, "definitions": True, "items": False}
CHOICES = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}
FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
)


def convert_schema(schema: Arguments) -> dict[str, Json]:
    """Return a schema and its subschemas in the supported subset."""
    if "$ref" in schema:
        return {
            key: convert_nested(key, value) for key, value in schema.items() if key in NESTED_KEYWORDS or key == "$ref"
        }
    supported = {
        CHOICES.get(key, key): convert_nested(key, value) for key, value in schema.items() if is_supported(key, value)
    }
    unsupported = {
        key: value for key, value in schema.items() if not is_supported(key, value) and key != "additionalProperties"
    }
    if schema.get("type") == "object":
        supported["additionalProperties"] = False
        supported.setdefault("properties", {})
    if unsupported:
        supported["description"] = "\n\n".join(
            filter(None, (str(supported.get("description") or ""), describe_keywords(unsupported)))
        )
    return supported


def is_supported(key: str, value: Json) -> bool:
    """Return whether structured output enforces a keyword."""
    if key == "format":
        return value in FORMATS
    if key == "minItems":
        return value in (0, 1)
    return key in SUPPORTED_KEYWORDS or key in NESTED_KEYWORDS or key in CHOICES


def convert_nested(key: str, value: Json) -> Json:
    """Convert the schemas inside a keyword's value."""
    if key in CHOICES and isinstance(value, list):
        return [convert_schema(item) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict) or key not in NESTED_KEYWORDS:
        return value
    if not NESTED_KEYWORDS[key]:
        return convert_schema(value)
    return {name: convert_schema(item) if isinstance(item, dict) else item for name, item in value.items()}


def describe_keywords(unsupported: Mapping[str, Json]) -> str:
    """Return unsupported keywords as JSON text."""
    return json.dumps(unsupported, ensure_ascii=False)
