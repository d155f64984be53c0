"""Estimate what tokens that were not sent would have cost."""

from collections.abc import Callable
from typing import TypeAlias

from openkoi_hookspecs import Price, Usage

PriceOf: TypeAlias = Callable[[str], Price | None]


def no_price(model: str) -> Price | None:
    """Return None: no model has a known price."""
    return None


def count_input(usage: Usage) -> int:
    """Return all tokens that a request sent, cached or not."""
    return usage.input + usage.cache_read + usage.cache_write


def estimate_value(tokens: int, usage: Usage, price: Price | None) -> float | None:
    """Return the dollars for that many more tokens, at the average price of the request's input."""
    if price is None:
        return None
    price = price.at(count_input(usage) + tokens)
    paid = (
        usage.input * price.input
        + usage.cache_read * cache_read_price(price)
        + usage.cache_write * cache_write_price(price)
    )
    each = paid / count_input(usage) if count_input(usage) else price.input
    return tokens * each / 1e6


def estimate_cache_value(usage: Usage, price: Price | None) -> float | None:
    """Return the dollars that a cache saved a request, less the surcharge for writing to it."""
    if price is None:
        return None
    price = price.at(count_input(usage))
    gained = usage.cache_read * (price.input - cache_read_price(price)) - usage.cache_write * (
        cache_write_price(price) - price.input
    )
    return gained / 1e6


def as_loss(usd: float, price: Price | None) -> float | None:
    """Return dollars spent on a saving as a loss; None where the price is unknown."""
    return None if price is None else -usd


def cache_read_price(price: Price) -> float:
    return price.cache_read or price.input


def cache_write_price(price: Price) -> float:
    return price.cache_write or price.input
