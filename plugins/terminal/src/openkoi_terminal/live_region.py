"""Redraw a few rows at the end of a terminal's output, below text that stays."""

from collections.abc import Sequence
from contextlib import suppress
from os import terminal_size
from shutil import get_terminal_size
from typing import TextIO

from .width import clip_row, text_width

BEGIN_UPDATE, END_UPDATE = "\x1b[?2026h", "\x1b[?2026l"
ERASE_BELOW = "\x1b[K\x1b[C\x1b[J\r"  # tmux copies a screen into its history that is erased from its first cell on
FALLBACK = (80, 24)


class LiveRegion:
    """Rows that are redrawn below finished text, each time with one write; finished text is never redrawn.

    After the terminal became narrower, the rows are erased as most terminals have wrapped them.
    """

    def __init__(self, stream: TextIO, *, rewraps: bool = True) -> None:
        self.stream = stream
        self.rewraps = rewraps
        self.rows: Sequence[str] = ()

    @property
    def size(self) -> terminal_size:
        """The size of the terminal."""
        with suppress(OSError, ValueError):
            found = terminal_size_of(self.stream)
            return found if found.columns and found.lines else terminal_size(FALLBACK)
        return get_terminal_size(FALLBACK)

    def update(self, finished: str, rows: Sequence[str]) -> None:
        """Print finished text, which ends with a line break, and draw the rows below it."""
        size = self.size
        rows = [clip_row(row, size.columns - 1) for row in rows[-max(size.lines - 1, 1) :]]
        if not finished and list(self.rows) == rows:
            return
        text = f"{BEGIN_UPDATE}{self.erasure(size.columns)}{finished}{chr(10).join(rows)}{END_UPDATE}"
        self.rows = rows
        with suppress(OSError):  # a closed terminal ends the program in another way
            self.stream.write(text)
            self.stream.flush()

    def clear(self) -> None:
        """Erase the rows."""
        if self.rows:
            self.update("", ())

    def erasure(self, columns: int) -> str:
        """Return the escape sequence that erases the drawn rows."""
        if not self.rows:
            return ""
        used = sum(-(-max(text_width(row), 1) // columns) for row in self.rows) if self.rewraps else len(self.rows)
        return f"\r\x1b[{used - 1}A{ERASE_BELOW}" if used > 1 else f"\r{ERASE_BELOW}"


def terminal_size_of(stream: TextIO) -> terminal_size:
    """Return the size of the terminal that a stream writes to."""
    from os import get_terminal_size

    return get_terminal_size(stream.fileno())
