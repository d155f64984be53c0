"""Count tokens as the server counted them. What is missing or makes no sense is not made up: it stays zero."""

from openkoi_hookspecs import Json, Usage


def usage_of(counted: Json) -> Usage:
    """Read a usage object, or what stands in its place."""
    if not isinstance(counted, dict):
        return Usage()
    details = counted.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    prompt = count(counted.get("prompt_tokens"))
    cached = min(cached, prompt)
    return Usage(input=prompt - cached, output=count(counted.get("completion_tokens")), cache_read=cached)


def count(value: Json) -> int:
    """Return a number of tokens, or 0 for what is none."""
    return value if type(value) is int and value >= 0 else 0
