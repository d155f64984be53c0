"""Read token counts; missing or invalid counts stay zero."""

from openkoi_hookspecs import Json, Usage
from openkoi_wire import count


def parse_usage(counted: Json) -> Usage:
    """Return the usage of a response; the vendor's input count excludes cached tokens."""
    if not isinstance(counted, dict):
        return Usage()
    return Usage(
        input=count(counted.get("inputTokens")),
        output=count(counted.get("outputTokens")),
        cache_read=count(counted.get("cacheReadInputTokens")),
        cache_write=count(counted.get("cacheWriteInputTokens")),
    )
