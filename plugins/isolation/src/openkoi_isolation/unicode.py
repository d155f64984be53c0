"""Text as it can be written down and sent: what is no Unicode is mended. Knows strings and plain JSON values."""

from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 200


def sanitize_text(text: str) -> str:
    """The text with split characters joined, and what is left of halves replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def sanitize_json(value: Any, levels: int = MAX_DEPTH) -> Any:
    """Plain JSON values with every text mended; what lies deeper than anybody can mean is left out."""
    if isinstance(value, str):
        return sanitize_text(value)
    if levels == 0:
        return None
    if isinstance(value, Mapping):
        return {sanitize_text(str(key)): sanitize_json(item, levels - 1) for key, item in value.items()}
    return [sanitize_json(item, levels - 1) for item in value] if isinstance(value, (list, tuple)) else value
