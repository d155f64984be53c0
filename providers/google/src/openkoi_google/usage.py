"""Read token counts; missing or invalid counts stay zero."""

from openkoi_hookspecs import Json, Usage
from openkoi_wire import count


def parse_usage(counted: Json) -> Usage:
    """Parse ``usageMetadata``: the prompt includes cached tokens, the response excludes thoughts."""
    if not isinstance(counted, dict):
        return Usage()
    prompt = count(counted.get("promptTokenCount"))
    cached = min(count(counted.get("cachedContentTokenCount")), prompt)
    return Usage(
        input=prompt - cached + count(counted.get("toolUsePromptTokenCount")),
        output=count(counted.get("candidatesTokenCount")) + count(counted.get("thoughtsTokenCount")),
        cache_read=cached,
    )
