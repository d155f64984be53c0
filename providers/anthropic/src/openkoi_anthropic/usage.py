"""Count tokens as the vendor counted them. What is missing or makes no sense is not made up: it stays zero."""

from collections.abc import Mapping

from openkoi_hookspecs import Json, Usage
from openkoi_wire import count


def counts(counted: Json) -> dict[str, int]:
    """Read what is counted so far; a later count of a thing takes the place of an earlier one."""
    if not isinstance(counted, dict):
        return {}
    return {key: count(value) for key, value in counted.items() if type(value) is int and count(value) == value}


def usage_of(counted: Mapping[str, int]) -> Usage:
    """Tell what an answer cost; the vendor's input leaves out what was cached."""
    return Usage(
        input=counted.get("input_tokens", 0),
        output=counted.get("output_tokens", 0),
        cache_read=counted.get("cache_read_input_tokens", 0),
        cache_write=counted.get("cache_creation_input_tokens", 0),
    )
