"""Count the cost of a model call as budgets do. The prices are in ``catalogue``."""

from openkoi_hookspecs import Cost, Price, Usage

CACHED_SHARE = 0.1  # share of the input price, for a model without a price: a tenth, as Anthropic and OpenAI charge


def cost_of_call(usage: Usage, usd: float, weighted: float) -> Cost:
    """Return what one call used; ``weighted`` is the number of its tokens that a budget counts."""
    return Cost(tokens=usage.total, usd=usd, calls=1, budget_tokens=round(weighted))


def budget_tokens(usage: Usage, price: Price) -> float:
    """Return tokens as the budget counts them: cached ones at their price ratio, so that long conversations fit."""
    share = min(1.0, (price.cache_read or price.input) / price.input) if price.input > 0 else CACHED_SHARE
    return usage.input + usage.output + usage.cache_write + usage.cache_read * share
