"""Escape untrusted text for a terminal."""


def escape_controls(text: str) -> str:
    """Escape every character that is not printable, except line breaks."""
    return "\n".join("".join(map(escape_character, line)) for line in text.split("\n"))


def escape_character(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode()
