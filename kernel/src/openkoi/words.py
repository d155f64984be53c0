"""Text as it can be written down and sent: what is no Unicode is mended. Knows strings and plain JSON values."""

from collections.abc import Mapping
from typing import Any

DEEPEST = 200


def mended(text: str) -> str:
    """The text with split characters joined, and what is left of halves replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def mended_values(value: Any, levels: int = DEEPEST) -> Any:
    """Plain JSON values with every text mended; what lies deeper than anybody can mean is left out."""
    if isinstance(value, str):
        return mended(value)
    if levels == 0:
        return None
    if isinstance(value, Mapping):
        return {mended(str(key)): mended_values(item, levels - 1) for key, item in value.items()}
    return [mended_values(item, levels - 1) for item in value] if isinstance(value, (list, tuple)) else value
