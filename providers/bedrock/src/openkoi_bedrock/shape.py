"""How an answer of a certain shape is asked for: as structured output, or of older models as the call of one tool.

Knows what either way takes; knows no messages.
"""

import json
import re
from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json, Request

ANSWER = "give_the_answer"
BY_TOOL = re.compile(r"amazon\.nova|anthropic\.claude-(v2|instant|3-|(sonnet|opus)-4-(1-)?2025)")
NOT_A_NAME = re.compile(r"[^\w-]+", re.ASCII)
BOUNDS = frozenset(
    {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    }
)  # fmt: skip
NAMED = frozenset({"properties", "$defs", "definitions"})
LITERAL = frozenset({"const", "enum", "default", "examples", "required"})


def by_tool(request: Request) -> bool:
    """Whether the answer has to be the call of a tool, because the model knows no structured output."""
    return request.schema is not None and BY_TOOL.search(request.model) is not None


def output_config(schema: Arguments) -> Mapping[str, object]:
    """Ask for an answer of this shape."""
    name = NOT_A_NAME.sub("_", str(schema.get("title") or "answer"))[:64]
    asked = {"name": name, "schema": json.dumps(strict(dict(schema)), ensure_ascii=False)}
    return {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": asked}}}


def tool_choice(request: Request) -> Mapping[str, object]:
    """Have the answer's tool called, or another one where there are others."""
    return {"any": {}} if request.tools else {"tool": {"name": ANSWER}}


def strict(schema: Json) -> Json:
    """Close every object, and leave out the bounds of numbers, texts and lists: whoever asked checks them anyway."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: inner(key, value) for key, value in schema.items() if key not in BOUNDS}
    return {**kept, "additionalProperties": False} if "properties" in kept or kept.get("type") == "object" else kept


def inner(key: str, value: Json) -> Json:
    """Make what stands under a key so: names and values that only look like keywords are left alone."""
    if key in NAMED and isinstance(value, dict):
        return {name: strict(below) for name, below in value.items()}
    return value if key in LITERAL else strict(value)
