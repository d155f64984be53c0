"""Request an answer that matches a schema: by structured output, or on older models by a tool call."""

import json
import re
from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json, Request
from openkoi_hookspecs.lazy_pattern import lazy_pattern

ANSWER_TOOL = "give_the_answer"
MODELS_WITHOUT_STRUCTURED_OUTPUT = lazy_pattern(
    r"amazon\.nova|anthropic\.claude-(v2|instant|3-|(sonnet|opus)-4-(1-)?2025)"
)
INVALID_NAME_CHARACTERS = lazy_pattern(r"[^\w-]+", re.ASCII)
UNSUPPORTED_KEYWORDS = frozenset(
    {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    }
)  # fmt: skip
SCHEMA_MAPS = frozenset({"properties", "$defs", "definitions"})
LITERAL_KEYWORDS = frozenset({"const", "enum", "default", "examples", "required"})


def needs_answer_tool(request: Request) -> bool:
    """Return whether the answer must be a tool call because the model has no structured output."""
    return request.schema is not None and MODELS_WITHOUT_STRUCTURED_OUTPUT.search(request.model) is not None


def output_config(schema: Arguments) -> Mapping[str, object]:
    """Return the structured output configuration for a schema."""
    name = INVALID_NAME_CHARACTERS.sub("_", str(schema.get("title") or "answer"))[:64]
    asked = {"name": name, "schema": json.dumps(close_objects(dict(schema)), ensure_ascii=False)}
    return {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": asked}}}


def tool_choice(request: Request) -> Mapping[str, object]:
    """Return a tool choice that forces a call: of the answer tool, or of any tool when others are offered."""
    return {"any": {}} if request.tools else {"tool": {"name": ANSWER_TOOL}}


def close_objects(schema: Json) -> Json:
    """Close every object, and drop numeric and length limits, which the caller validates anyway."""
    if isinstance(schema, list):
        return [close_objects(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: close_nested(key, value) for key, value in schema.items() if key not in UNSUPPORTED_KEYWORDS}
    return {**kept, "additionalProperties": False} if "properties" in kept or kept.get("type") == "object" else kept


def close_nested(key: str, value: Json) -> Json:
    """Apply ``close_objects`` to a keyword's value, except where it contains names or literals."""
    if key in SCHEMA_MAPS and isinstance(value, dict):
        return {name: close_objects(schema) for name, schema in value.items()}
    return value if key in LITERAL_KEYWORDS else close_objects(value)
