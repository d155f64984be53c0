"""When an agent's work is done, as it was declared; and what a model is told that stops before. Pure.

The first condition that holds after a cycle ends the work, and that is no failure: whoever declared it wanted it so.
"""

from collections.abc import Sequence

from openkoi_hookspecs import BudgetExhausted, Condition, Response, TextIncludes, ToolReturned

from .tool_dispatch import ToolOutcome

EXHAUSTED = "budget-exhausted"
UNDONE = "You called no tool, and this is not done yet."


def met_condition(
    conditions: Sequence[Condition], reply: Response, settled: Sequence[ToolOutcome], usd_left: float
) -> str:
    """The kind of the first condition that holds; empty when none does."""
    for condition in conditions:
        match condition:
            case TextIncludes(text=text) if text in reply.text:
                return "text-includes"
            case ToolReturned() if any(tool_condition_met(condition, one) for one in settled):
                return "tool-result"
            case BudgetExhausted() if usd_left <= 0:
                return EXHAUSTED
    return ""


def tool_condition_met(condition: ToolReturned, settled: ToolOutcome) -> bool:
    """Whether a tool brought what was declared."""
    result = settled.result
    if settled.tool is None or settled.tool.name != condition.tool:
        return False
    if condition.exit_code is not None and result.exit_code != condition.exit_code:
        return False
    return condition.contains in result.text and (condition.exit_code is not None or not result.failed)


def reminder(conditions: Sequence[Condition]) -> str:
    """What is said to a model that waits instead of working; empty when nothing was declared that it could bring."""
    wanted = [wish for condition in conditions if (wish := describe_condition(condition))]
    return f"{UNDONE} It is done when you {' or '.join(wanted)}. Continue." if wanted else ""


def describe_condition(condition: Condition) -> str:
    match condition:
        case TextIncludes(text=text):
            return f"write {text}"
        case ToolReturned(tool=tool, exit_code=exit_code, contains=contains):
            code = f" ends with exit code {exit_code}" if exit_code is not None else ""
            text = f" brings {contains!r}" if contains else ""
            return f"see that {tool}{' and'.join(filter(None, (code, text))) or ' has answered'}"
    return ""
