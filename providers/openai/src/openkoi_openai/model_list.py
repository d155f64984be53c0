"""Parse the lists of models of OpenAI and of compatible servers, with their limits and prices."""

import math
from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Json, Model, Price
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import Server, error_from_body, parse_count

CONTEXT_KEYS = ("context_length", "context_window", "max_model_len", "max_context_length")
OUTPUT_KEYS = ("max_completion_tokens", "max_output_tokens")
CACHE_PRICE_KEYS = ("input_cache_read", "input_cache_write")
MILLION = 1_000_000
FREE = Price(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class OpenAIDefaults:
    """Limits to assume when the server lists none; ``free`` for a local server without a key."""

    context: int
    output: int
    free: bool = False


def parse_models(listing: Json, defaults: OpenAIDefaults, server: Server) -> Sequence[Model]:
    """Parse the list of models without duplicates; raise ProviderUnavailableError when it is not one."""
    found = listing.get("data") if isinstance(listing, dict) else listing
    if isinstance(found, list):
        named = {name: entry for entry in found if isinstance(entry, dict) and (name := model_id(entry))}
        return [parse_model(name, entry, defaults) for name, entry in named.items()]
    if isinstance(listing, dict) and listing.get("error"):
        raise error_from_body(server, listing)
    raise server.unavailable("did not return a list of models from /models.")


def model_id(entry: Mapping[str, Json]) -> str:
    """Return the id of a listed model, or an empty string."""
    name = entry.get("id")
    return name if isinstance(name, str) else ""


def parse_model(name: str, entry: Mapping[str, Json], defaults: OpenAIDefaults) -> Model:
    """Return a model; cap its output at its context window."""
    host = entry.get("top_provider")
    hosted = host if isinstance(host, dict) else {}
    context = first_count(hosted, CONTEXT_KEYS) or first_count(entry, CONTEXT_KEYS) or defaults.context
    output = first_count(entry, OUTPUT_KEYS) or first_count(hosted, OUTPUT_KEYS) or defaults.output
    price = parse_price(entry.get("pricing")) or (FREE if defaults.free else None)
    return Model(name, context=context, output=min(output, context), price=price)


def first_count(entry: Mapping[str, Json], keys: Sequence[str]) -> int:
    """Return the first valid count under one of the keys, or 0."""
    return next((number for key in keys if (number := parse_count(entry.get(key)))), 0)


def parse_price(pricing: Json) -> Price | None:
    """Parse OpenRouter's prices per token; return None when they are missing or variable."""
    if not isinstance(pricing, dict):
        return None
    asked, answered = dollars_per_million(pricing.get("prompt")), dollars_per_million(pricing.get("completion"))
    if asked is None or answered is None:
        return None
    read, write = (dollars_per_million(pricing.get(key)) for key in CACHE_PRICE_KEYS)
    return Price(asked, answered, asked if read is None else read, asked if write is None else write)


def dollars_per_million(a_token: Json) -> float | None:
    """Return dollars per million tokens, or None for an invalid price."""
    if isinstance(a_token, bool) or not isinstance(a_token, str | int | float):
        return None
    try:
        price = float(a_token) * MILLION
    except ValueError:
        return None
    return round(price, 9) if math.isfinite(price) and price >= 0 else None
