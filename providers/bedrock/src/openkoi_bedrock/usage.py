"""Count tokens as the vendor counted them. What is missing or makes no sense is not made up: it stays zero."""

from openkoi_hookspecs import Json, Usage
from openkoi_wire import count


def usage_of(counted: Json) -> Usage:
    """Read a usage object, or what stands in its place; its input leaves out the cached tokens already."""
    if not isinstance(counted, dict):
        return Usage()
    return Usage(
        input=count(counted.get("inputTokens")),
        output=count(counted.get("outputTokens")),
        cache_read=count(counted.get("cacheReadInputTokens")),
        cache_write=count(counted.get("cacheWriteInputTokens")),
    )
