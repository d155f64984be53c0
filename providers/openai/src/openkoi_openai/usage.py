"""Count tokens as the server counted them. What is missing or makes no sense is not made up: it stays zero."""

from collections.abc import Mapping

from openkoi_hookspecs import Json, Usage
from openkoi_wire import count


def usage_of(counted: Json) -> Usage:
    """Read a usage object of either dialect, or what stands in its place.

    A total that is larger than its parts holds thoughts, which some count apart and all bill as output.
    """
    if not isinstance(counted, dict):
        return Usage()
    prompt = either(counted, "prompt_tokens", "input_tokens")
    answer = either(counted, "completion_tokens", "output_tokens")
    details = counted.get("prompt_tokens_details") or counted.get("input_tokens_details")
    told = details if isinstance(details, dict) else {}
    read = min(prompt, either(told, "cached_tokens") or either(counted, "prompt_cache_hit_tokens", "cached_tokens"))
    write = min(prompt - read, either(told, "cache_write_tokens"))
    output = max(answer, either(counted, "total_tokens") - prompt)
    return Usage(input=prompt - read - write, output=output, cache_read=read, cache_write=write)


def either(counted: Mapping[str, Json], *keys: str) -> int:
    """Return the first of these numbers that there is, or 0."""
    return next((number for key in keys if (number := count(counted.get(key)))), 0)
