"""Read a server's list of models. Knows how different servers say how much a model can read and what it costs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Json, Model, Price
from openkoi_wire import Server, count, reported

CONTEXT = ("context_length", "context_window", "max_model_len", "max_context_length")
OUTPUT = ("max_completion_tokens", "max_output_tokens")
CACHED = ("input_cache_read", "input_cache_write")
MILLION = 1_000_000
FREE = Price(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What is taken for granted of a model when the server does not say. On this machine, without a key, it is free."""

    context: int
    output: int
    free: bool = False


def models_of(listing: Json, defaults: Defaults, server: Server) -> Sequence[Model]:
    """Read the list, each name once; raises ProviderUnavailableError when it is none."""
    found = listing.get("data") if isinstance(listing, dict) else listing
    if isinstance(found, list):
        named = {name: entry for entry in found if isinstance(entry, dict) and (name := name_of(entry))}
        return [model_of(name, entry, defaults) for name, entry in named.items()]
    if isinstance(listing, dict) and listing.get("error"):
        raise reported(server, listing)
    raise server.unavailable("answered /models with something that is not a list of models.")


def name_of(entry: Mapping[str, Json]) -> str:
    """Return the name a model is asked by, or nothing."""
    name = entry.get("id")
    return name if isinstance(name, str) else ""


def model_of(name: str, entry: Mapping[str, Json], defaults: Defaults) -> Model:
    """Describe a model; no answer is longer than what it can hold."""
    host = entry.get("top_provider")
    hosted = host if isinstance(host, dict) else {}
    context = said(hosted, CONTEXT) or said(entry, CONTEXT) or defaults.context
    output = said(entry, OUTPUT) or said(hosted, OUTPUT) or defaults.output
    price = price_of(entry.get("pricing")) or (FREE if defaults.free else None)
    return Model(name, context=context, output=min(output, context), price=price)


def said(entry: Mapping[str, Json], keys: Sequence[str]) -> int:
    """Return the first of these numbers that makes sense, or 0."""
    return next((number for key in keys if (number := count(entry.get(key)))), 0)


def price_of(pricing: Json) -> Price | None:
    """Read prices: dollars a token as OpenRouter writes them; None when they are not told, or vary."""
    if not isinstance(pricing, dict):
        return None
    asked, answered = dollars(pricing.get("prompt")), dollars(pricing.get("completion"))
    if asked is None or answered is None:
        return None
    read, write = (dollars(pricing.get(key)) for key in CACHED)
    return Price(asked, answered, asked if read is None else read, asked if write is None else write)


def dollars(a_token: Json) -> float | None:
    """Return dollars a million tokens, or None for what is no price."""
    if isinstance(a_token, bool) or not isinstance(a_token, str | int | float):
        return None
    try:
        price = float(a_token) * MILLION
    except ValueError:
        return None
    return round(price, 9) if math.isfinite(price) and price >= 0 else None
