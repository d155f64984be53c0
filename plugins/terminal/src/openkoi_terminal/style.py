"""Style text on a terminal: with colours, only with attributes, or not at all."""

import os
from collections.abc import Mapping
from typing import TextIO

from openkoi_hookspecs.lazy_dataclass import dataclass

RESET = "\x1b[0m"
CODES = {
    **{"bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7", "strike": "9"},
    **{"red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35", "cyan": "36", "grey": "90"},
}
ATTRIBUTES = frozenset({"bold", "dim", "italic", "underline", "reverse", "strike"})


@dataclass(frozen=True, slots=True)
class Style:
    """Marks text. ``plain``: no escape sequences, and Markdown is left unchanged."""

    colour: bool = True
    plain: bool = False

    def mark(self, text: str, *names: str) -> str:
        """Return the text in these colours and attributes."""
        codes = [CODES[name] for name in names if self.colour or name in ATTRIBUTES]
        if self.plain or not codes or not text:
            return text
        return f"\x1b[{';'.join(codes)}m{text}{RESET}"


PLAIN = Style(colour=False, plain=True)


def detect_style(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Style:
    """Return the style for a stream: plain without a terminal, on a dumb one, and with ACCESSIBLE=1."""
    accessible = environ.get("ACCESSIBLE", "") not in ("", "0")
    if accessible or environ.get("TERM") == "dumb" or not stream.isatty():
        return PLAIN
    return Style(colour=not environ.get("NO_COLOR"))
