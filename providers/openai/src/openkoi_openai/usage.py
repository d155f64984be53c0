"""Read token counts; missing or invalid counts stay zero."""

from collections.abc import Mapping

from openkoi_hookspecs import Json, Usage
from openkoi_http import parse_count


def parse_usage(counted: Json) -> Usage:
    """Parse the usage of either API.

    A total larger than its parts includes reasoning, which some servers count separately and all bill as output.
    """
    if not isinstance(counted, dict):
        return Usage()
    prompt = first_count(counted, "prompt_tokens", "input_tokens")
    answer = first_count(counted, "completion_tokens", "output_tokens")
    details = counted.get("prompt_tokens_details") or counted.get("input_tokens_details")
    details = details if isinstance(details, dict) else {}
    read = min(
        prompt,
        first_count(details, "cached_tokens") or first_count(counted, "prompt_cache_hit_tokens", "cached_tokens"),
    )
    write = min(prompt - read, first_count(details, "cache_write_tokens"))
    output = max(answer, first_count(counted, "total_tokens") - prompt)
    return Usage(input=prompt - read - write, output=output, cache_read=read, cache_write=write)


def first_count(counted: Mapping[str, Json], *keys: str) -> int:
    """Return the first valid count under one of the keys, or 0."""
    return next((number for key in keys if (number := parse_count(counted.get(key)))), 0)
