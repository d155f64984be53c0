"""Report how much of the limit that ended a run was used, and why it ended before all of it was."""

from openkoi_hookspecs import Cost, Limits
from openkoi_settings import keys

from .formatting import format_dollars

TASK_LIMITS = frozenset({"dollars", "calls", "tokens", "the budget"})
"""The limits that a task has; any other limit is a budget's, and its reason already contains the numbers."""

REACHED = "reached the limit of "
REFUSED = "  The next call was not made: it could have used more than the {left} left of {setting}."
TOO_LONG = " Shorten the task and its input, or raise the limit."


def format_limit_use(reason: str, spent: Cost, limits: Limits) -> str:
    """Return how much of the limit that ended the run was used."""
    limit = reason.removeprefix(REACHED)
    if limit != reason and limit not in TASK_LIMITS:
        return f"limit of {limit}"
    if "dollars" in reason:
        return f"{format_dollars(spent.usd)}/{format_dollars(limits.usd)}"
    if "calls" in reason:
        return f"{spent.calls:,}/{limits.calls:,} calls"
    return f"{spent.budget_tokens:,}/{limits.tokens:,} {noun_of_tokens(spent)}"


def noun_of_tokens(spent: Cost) -> str:
    """Return what to call tokens, which the limit may count differently from vendors."""
    return "budget tokens" if spent.budget_tokens != spent.tokens else "tokens"


def explain_unused(reason: str, spent: Cost, limits: Limits) -> list[str]:
    """Return why a run ended although its limit is not used up, in a line; none if it is, or is not the task's."""
    limit, tokens = reason.removeprefix(REACHED), limits.tokens - spent.budget_tokens
    if limit == "dollars" and spent.usd < limits.usd:
        refused = REFUSED.format(left=format_dollars(limits.usd - spent.usd), setting=keys.MAX_COST_USD.name)
    elif limit == "tokens" and tokens > 0:
        refused = REFUSED.format(left=f"{tokens:,} {noun_of_tokens(spent)}", setting=keys.TOKEN_BUDGET.name)
    else:
        return []
    return [refused if spent.calls else refused + TOO_LONG]
