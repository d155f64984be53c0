"""Make untrusted text printable."""

import unicodedata


def visible(text: str) -> str:
    """What steers a terminal, or cannot be seen, becomes a question mark; lines and tabs stay."""
    return "".join(char if char in "\n\t" or unicodedata.category(char)[0] != "C" else "?" for char in text)
