"""Text that others wrote, made fit to be judged at a terminal. Pure; knows signs, and no meaning.

What would move the cursor, turn the line round or not be seen at all is shown as what it is.
"""


def plain(text: str) -> str:
    """The text with every sign that is no visible one spelt out; lines stay lines."""
    return "\n".join("".join(map(visible, line)) for line in text.split("\n"))


def visible(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode()
