"""Map the words of the log format to those of the contract: existing logs stay readable when the contract changes."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from openkoi_hookspecs import (
    BudgetExhausted,
    Decision,
    Evaluation,
    File,
    Hit,
    Image,
    Learning,
    Limits,
    Passage,
    Plan,
    Reasoning,
    Section,
    Text,
    TextIncludes,
    ToolCall,
    ToolResult,
    ToolReturned,
    events,
)

TAGS: Mapping[type, str] = {
    **{kind: kind.__name__ for kind in (Text, Image, File, ToolCall, ToolResult, Passage, Learning)},
    **{kind: kind.__name__ for kind in (TextIncludes, ToolReturned, BudgetExhausted)},
    Reasoning: "Thought",
}
FIELDS: Mapping[type, Mapping[str, str]] = {
    Image: {"content": "data"},
    File: {"content": "data"},
    Reasoning: {"signature": "seal", "model": "by"},
    Hit: {"similarity": "near", "item": "memo"},
    Learning: {"status": "standing", "untrusted": "quoted"},
    Section: {"untrusted": "quoted"},
    ToolCall: {"parse_error": "fault"},
    events.ToolCallStarted: {"progress_text": "doing"},
    Plan: {"evaluate": "judged"},
    Decision: {"action": "decision", "restart_from_best": "fresh"},
    Evaluation: {"unavailable_reason": "unknown"},
    events.MessageAdded: {"new_conversation": "fresh"},
    events.DecisionMade: {"decision": "ruling", "cost": "spent"},
    events.RunCompleted: {"decision": "ruling", "cost": "spent"},
    events.IterationFinished: {"cost": "spent"},
    events.HookReturned: {"hook": "moment"},
    events.ModelResponse: {"response": "reply"},
    events.ModelRequest: {"reserved_usd": "worth"},
    events.JudgeVoted: {
        "carried_over": "carried",
        "characters": "asked",
        "full_characters": "whole",
        "control_characters": "aside",
        "control": "proof",
    },
    Limits: {"min_improvement": "improvement", "max_regression": "regression", "quality_threshold": "quality"},
}


def tag_of(kind: type) -> str:
    """Return the name that a member of a union has in the log."""
    return TAGS.get(kind, kind.__name__)


def wire_names(kind: Any) -> dict[str, str]:
    """Return the name in the log of each field of a dataclass, in order."""
    known = FIELDS.get(kind, {})
    return {field.name: known.get(field.name, field.name) for field in fields(kind)}
