"""Estimate what tokens that were not sent would have cost."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from openkoi_hookspecs import Price, Usage

PriceOf: TypeAlias = Callable[[str], Price | None]


def no_price(model: str) -> Price | None:
    """Return None: no model has a known price."""
    return None


def estimate_value(tokens: int, usage: Usage, price: Price | None) -> float | None:
    """Return the dollars for these additional tokens, at the average price of the request's input."""
    if price is None:
        return None
    price = price.at(usage.prompt + tokens)
    each = price.cost(replace(usage, output=0)) / usage.prompt if usage.prompt else price.input / 1e6
    return tokens * each


def estimate_cache_value(usage: Usage, price: Price | None) -> float | None:
    """Return the dollars that a cache saved a request, less the surcharge for writing to it."""
    if price is None:
        return None
    return price.cost(Usage(input=usage.prompt)) - price.cost(replace(usage, output=0))


def as_loss(usd: float, price: Price | None) -> float | None:
    """Return dollars spent on a saving as a loss; None if the price is unknown."""
    return None if price is None else -usd
