"""The words of the log that are not those of the contract: written logs keep their format when the contract changes."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from openkoi_hookspecs import (
    BudgetExhausted,
    Image,
    Learning,
    Passage,
    Reasoning,
    Text,
    TextIncludes,
    ToolCall,
    ToolResult,
    ToolReturned,
)

TAGS: Mapping[type, str] = {
    **{kind: kind.__name__ for kind in (Text, Image, ToolCall, ToolResult, Passage, Learning)},
    **{kind: kind.__name__ for kind in (TextIncludes, ToolReturned, BudgetExhausted)},
    Reasoning: "Thought",
}
FIELDS: Mapping[type, Mapping[str, str]] = {}


def tag_of(kind: type) -> str:
    """Return the name that a member of a union has in the log."""
    return TAGS.get(kind, kind.__name__)


def wire_names(kind: Any) -> dict[str, str]:
    """Return the name in the log of each field of a dataclass, in order."""
    known = FIELDS.get(kind, {})
    return {field.name: known.get(field.name, field.name) for field in fields(kind)}
