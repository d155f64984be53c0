"""Read token counts; missing or invalid counts stay zero."""

from openkoi_hookspecs import Json, Usage
from openkoi_http import parse_count


def parse_usage(counted: Json) -> Usage:
    """Parse ``usageMetadata``: the prompt includes cached tokens, the response excludes thoughts."""
    if not isinstance(counted, dict):
        return Usage()
    prompt = parse_count(counted.get("promptTokenCount"))
    cached = min(parse_count(counted.get("cachedContentTokenCount")), prompt)
    return Usage(
        input=prompt - cached + parse_count(counted.get("toolUsePromptTokenCount")),
        output=parse_count(counted.get("candidatesTokenCount")) + parse_count(counted.get("thoughtsTokenCount")),
        cache_read=cached,
    )
