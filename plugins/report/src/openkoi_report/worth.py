"""What tokens that were never sent would have cost. Pure; knows prices and usages."""

from collections.abc import Callable
from typing import TypeAlias

from openkoi_hookspecs import Price, Usage

PriceOf: TypeAlias = Callable[[str], Price | None]


def no_price(model: str) -> Price | None:
    """No price of any model."""
    return None


def read(usage: Usage) -> int:
    """All that a request sent, cached or not."""
    return usage.input + usage.cache_read + usage.cache_write


def worth(tokens: int, usage: Usage, price: Price | None) -> float | None:
    """Dollars that so many more tokens would have cost, at what one of that request's cost on average."""
    if price is None:
        return None
    price = price.at(read(usage) + tokens)
    paid = usage.input * price.input + usage.cache_read * reading(price) + usage.cache_write * writing(price)
    each = paid / read(usage) if read(usage) else price.input
    return tokens * each / 1e6


def cache_worth(usage: Usage, price: Price | None) -> float | None:
    """Dollars that a request would have cost more without a cache; writing into one costs extra."""
    if price is None:
        return None
    price = price.at(read(usage))
    gained = usage.cache_read * (price.input - reading(price)) - usage.cache_write * (writing(price) - price.input)
    return gained / 1e6


def loss(usd: float, price: Price | None) -> float | None:
    """Dollars that were spent in order to spare; they count where the spared ones do."""
    return None if price is None else -usd


def reading(price: Price) -> float:
    return price.cache_read or price.input


def writing(price: Price) -> float:
    return price.cache_write or price.input
