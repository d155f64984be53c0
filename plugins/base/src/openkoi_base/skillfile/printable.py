"""Make untrusted text printable."""

import unicodedata


def make_printable(text: str) -> str:
    """Replace control and invisible characters with question marks; keep line breaks and tabs."""
    return "".join(char if char in "\n\t" or unicodedata.category(char)[0] != "C" else "?" for char in text)
