"""Replace invalid Unicode in strings and plain JSON values, so that they can be stored and sent."""

from collections.abc import Mapping
from typing import Any

MAX_NESTING = 200


def sanitize_text(text: str) -> str:
    """Return the text with surrogate pairs joined, and lone surrogates replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def sanitize_json(value: Any, levels: int = MAX_NESTING) -> Any:
    """Return plain JSON values with every text sanitized; values nested too deeply are dropped."""
    if isinstance(value, str):
        return sanitize_text(value)
    if levels == 0:
        return None
    if isinstance(value, Mapping):
        return {sanitize_text(str(key)): sanitize_json(item, levels - 1) for key, item in value.items()}
    return [sanitize_json(item, levels - 1) for item in value] if isinstance(value, (list, tuple)) else value
