"""Colour code by its language, line by line, so that a line is final when it is complete."""

from functools import cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String
from pygments.util import ClassNotFound

from .style import Style

COLOURED = Style()
COLOURS = (
    *((Comment, "grey"), (Keyword, "magenta"), (String, "green"), (Number, "yellow")),
    *((Name.Function, "blue"), (Name.Class, "blue"), (Name.Decorator, "blue"), (Name.Builtin, "cyan")),
)


@cache
def find_lexer(language: str) -> Lexer | None:
    """Return the lexer of a language; None if it is unknown."""
    try:
        return get_lexer_by_name(language.split()[0].lower(), stripnl=False)
    except ClassNotFound:
        return None


def colour_line(line: str, language: str) -> str:
    """Return a line of code in colours."""
    lexer = find_lexer(language)
    if lexer is None:
        return line
    pieces = lexer.get_tokens_unprocessed(f"{line}\n")  # the text needs no cleaning, which takes as long again
    return "".join(COLOURED.mark(text.rstrip("\n"), *colours(kind)) for _, kind, text in pieces)


@cache
def colours(kind: Any) -> tuple[str, ...]:
    """Return the colour of a kind of token."""
    return tuple(colour for group, colour in COLOURS if kind in group)[:1]
