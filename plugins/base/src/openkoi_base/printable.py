"""Make untrusted text printable."""

import unicodedata


def make_printable(text: str) -> str:
    """Replace control and invisible characters with question marks; keep line breaks and tabs."""
    return "".join(char if char in "\n\t" or unicodedata.category(char)[0] != "C" else "?" for char in text)


def one_line(text: str) -> str:
    """Return text of others as one line, without characters that control a terminal or that are not seen."""
    return " ".join(visible(text).split())


def indented(text: str) -> str:
    """Return text of others without such characters, its further lines indented: they look like no line of OpenKoi."""
    first, *more = visible(text).splitlines() or [""]
    return "\n".join([first, *(line if line.startswith("    ") else f"    {line}" for line in more)])


def visible(text: str) -> str:
    """Return text without characters that control a terminal or that are not seen, but for white space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in text if char.isspace() or unicodedata.category(char)[0] != "C")
