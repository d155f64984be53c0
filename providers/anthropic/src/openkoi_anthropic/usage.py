"""Read token counts; missing or invalid counts stay zero."""

from collections.abc import Mapping

from openkoi_hookspecs import Json, Usage
from openkoi_http import parse_count


def parse_counts(counted: Json) -> dict[str, int]:
    """Return the valid counts; a later count replaces an earlier one."""
    if not isinstance(counted, dict):
        return {}
    return {
        key: parse_count(value) for key, value in counted.items() if type(value) is int and parse_count(value) == value
    }


def to_usage(counted: Mapping[str, int]) -> Usage:
    """Return the usage of a response; the vendor's input count excludes cached tokens."""
    return Usage(
        input=counted.get("input_tokens", 0),
        output=counted.get("output_tokens", 0),
        cache_read=counted.get("cache_read_input_tokens", 0),
        cache_write=counted.get("cache_creation_input_tokens", 0),
    )
