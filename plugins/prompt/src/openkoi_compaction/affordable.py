"""Decide whether a task's remaining limits allow an extra model call."""

from openkoi_hookspecs import Cost, Limits

CHARACTERS_PER_TOKEN = 3  # a low estimate, so that the call fits
MAX_SHARE = 0.5  # share of the task's remaining tokens and dollars, for a summary (estimate)


def too_expensive_reason(characters: int, answer: int, spent: Cost, limits: Limits) -> str:
    """Return why a call with this much text is too expensive: it may use half of the remaining limits. Empty if it is
    not.

    A token is assumed to cost what the task's tokens have cost so far.
    """
    tokens = characters // CHARACTERS_PER_TOKEN + answer
    if spent.calls + 1 >= limits.calls:
        return "the last call is reserved for the task"
    if tokens > MAX_SHARE * (limits.tokens - spent.budget_tokens):
        return "too few tokens are left for a summary"
    usd = tokens * spent.usd / spent.budget_tokens if spent.budget_tokens else 0.0
    return "too little of the budget is left for a summary" if usd > MAX_SHARE * (limits.usd - spent.usd) else ""
