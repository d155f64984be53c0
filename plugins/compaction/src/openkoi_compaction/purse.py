"""Whether what is left of a task's limits is enough to ask a model beside the work. Pure; knows numbers alone."""

from openkoi_hookspecs import Cost, Limits

CHARACTERS_PER_TOKEN = 3
SHARE = 0.5


def too_dear(characters: int, answer: int, spent: Cost, limits: Limits) -> str:
    """Why asking about so much text is too dear: it may take half of what the work has left. Nothing when it is not.

    A token costs what the task's tokens have cost so far.
    """
    tokens = characters // CHARACTERS_PER_TOKEN + answer
    if spent.calls + 1 >= limits.calls:
        return "the last call is for the work"
    if tokens > SHARE * (limits.tokens - spent.budget_tokens):
        return "too few tokens are left for one"
    usd = tokens * spent.usd / spent.budget_tokens if spent.budget_tokens else 0.0
    return "too little money is left for one" if usd > SHARE * (limits.usd - spent.usd) else ""
