"""Count tokens as the vendor counted them. What is missing or makes no sense is not made up: it stays zero."""

from openkoi_hookspecs import Json, Usage
from openkoi_wire import count


def usage_of(counted: Json) -> Usage:
    """Read ``usageMetadata``: cached tokens are among those of the prompt, thoughts are beside those of the answer."""
    if not isinstance(counted, dict):
        return Usage()
    prompt = count(counted.get("promptTokenCount"))
    cached = min(count(counted.get("cachedContentTokenCount")), prompt)
    return Usage(
        input=prompt - cached + count(counted.get("toolUsePromptTokenCount")),
        output=count(counted.get("candidatesTokenCount")) + count(counted.get("thoughtsTokenCount")),
        cache_read=cached,
    )
