"""Decide by declared conditions when an agent's work is done, and how to remind a model that stops early. Pure.

The first condition that is met ends the work, and that is a success: the agent's author declared it.
"""

import math
from collections.abc import Iterable, Sequence

from openkoi_hookspecs import BudgetExhausted, Condition, TextIncludes, ToolResult, ToolReturned

EXHAUSTED = "budget-exhausted"
UNDONE = "You called no tool, but the task is not done."


def met_condition(
    conditions: Iterable[Condition],
    text: str,
    results: Sequence[tuple[str, ToolResult]],
    usd_left: float = math.inf,
) -> str:
    """Return the kind of the first condition that is met; empty if none is.

    ``text`` is what the model wrote, ``results`` are what tools returned, each with its tool's name.
    """
    for condition in conditions:
        match condition:
            case TextIncludes(text=wanted) if wanted in text:
                return "text-includes"
            case ToolReturned() if any(tool_condition_met(condition, *one) for one in results):
                return "tool-result"
            case BudgetExhausted() if usd_left <= 0:
                return EXHAUSTED
    return ""


def tool_condition_met(condition: ToolReturned, tool: str, result: ToolResult) -> bool:
    """Return whether a tool returned the declared result; a failed one counts only if its exit code is declared."""
    if tool != condition.tool or condition.contains not in result.text:
        return False
    return not result.failed if condition.exit_code is None else result.exit_code == condition.exit_code


def build_reminder(conditions: Iterable[Condition]) -> str:
    """Return the reminder for a model that waits instead of working; empty if it can meet none of the conditions."""
    wanted = [advice for condition in conditions if (advice := describe_condition(condition))]
    return f"{UNDONE} It is done when you {' or '.join(wanted)}. Continue." if wanted else ""


def describe_condition(condition: Condition) -> str:
    """Return how to meet a condition; empty if a model cannot meet it by itself."""
    match condition:
        case TextIncludes(text=text):
            return f"write {text}"
        case ToolReturned(tool=tool, exit_code=exit_code, contains=contains):
            code = f" ends with exit code {exit_code}" if exit_code is not None else ""
            text = f" returns {contains!r}" if contains else ""
            return f"see that {tool}{' and'.join(filter(None, (code, text))) or ' has returned a result'}"
    return ""
