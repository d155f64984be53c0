"""Text as it can be written down and sent: what is no Unicode is mended. Knows strings and plain JSON values."""

from collections.abc import Mapping
from typing import Any


def mended(text: str) -> str:
    """The text with split characters joined, and what is left of halves replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def mended_values(value: Any) -> Any:
    """Plain JSON values with every text mended."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, Mapping):
        return {mended(str(key)): mended_values(item) for key, item in value.items()}
    return [mended_values(item) for item in value] if isinstance(value, (list, tuple)) else value
