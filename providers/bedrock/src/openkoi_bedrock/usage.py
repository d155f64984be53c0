"""Read token counts; missing or invalid counts stay zero."""

from openkoi_hookspecs import Json, Usage
from openkoi_http import parse_count


def parse_usage(counted: Json) -> Usage:
    """Return the usage of a response; the vendor's input count excludes cached tokens."""
    if not isinstance(counted, dict):
        return Usage()
    return Usage(
        input=parse_count(counted.get("inputTokens")),
        output=parse_count(counted.get("outputTokens")),
        cache_read=parse_count(counted.get("cacheReadInputTokens")),
        cache_write=parse_count(counted.get("cacheWriteInputTokens")),
    )
