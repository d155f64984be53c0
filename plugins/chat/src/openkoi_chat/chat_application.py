"""The chat's prompt_toolkit application, adapted to a terminal whose scrollback must stay intact."""

import select
import sys
from collections.abc import Callable
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point

from openkoi_terminal import text_width

SEQUENCE_SECONDS = 1.0
ESCAPE_SECONDS = 0.05  # after Esc, in which the rest of a key such as Alt-Enter arrives


class ChatApplication(Application[int]):
    """Erases only what it has drawn, even after the terminal was resized, and shrinks with its rows."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, erase_when_done=True, terminal_size_polling_interval=None)
        self.ttimeoutlen = ESCAPE_SECONDS
        self.drawn_rows = 0
        self.before_resize: Callable[[], None] = lambda: None

    @property
    def is_suspended(self) -> bool:
        """Whether another program has the terminal."""
        return self._running_in_terminal

    @property
    def has_more_input(self) -> bool:
        """Whether more keys have arrived than were read."""
        if sys.platform == "win32":
            return False  # what has arrived is read at once there
        try:
            return bool(select.select([self.input.fileno()], [], [], 0)[0])
        except (OSError, ValueError):  # the terminal is gone
            return False

    @property
    def timeoutlen(self) -> float:
        """Seconds to wait for the rest of a sequence of keys; after Esc, ``ttimeoutlen`` has already passed."""
        keys = [press.key for press in self.key_processor.key_buffer]
        return 0.0 if "escape" in keys[:1] else SEQUENCE_SECONDS

    @timeoutlen.setter
    def timeoutlen(self, seconds: float) -> None:
        """Ignore what prompt_toolkit sets."""

    def draw_now(self, rows: int) -> None:
        """Set the number of rows around the input; if there were more before, erase all of them first."""
        if rows < self.drawn_rows:
            self.renderer.erase()
        self.drawn_rows = rows
        self._redraw()

    def _on_resize(self) -> None:
        """Erase everything drawn, even if the terminal has wrapped it since, and draw it again."""
        with self.output.frame():  # type: ignore[attr-defined]  # it is made with a FrameOutput
            self.renderer._cursor_pos = self.find_cursor()
            self.renderer.erase(leave_alternate_screen=False)
            self.before_resize()
            self._redraw()

    def find_cursor(self) -> Point:
        """Return the cursor's place, from the first drawn row on, if the terminal wraps rows that are now too long."""
        drawn, size, at = self.renderer.last_rendered_screen, self.output.get_size(), self.renderer._cursor_pos
        if drawn is None:
            return at
        widths = [row_width(drawn.data_buffer[row]) for row in range(at.y)]
        above = sum(max(-(-width // size.columns), 1) for width in widths)
        return Point(x=at.x % size.columns, y=above + at.x // size.columns)


def row_width(row: Any) -> int:
    """Return how many columns of a drawn row are filled."""
    filled = [column + max(text_width(cell.char), 1) for column, cell in row.items() if cell.char not in ("", " ")]
    return max(filled, default=0)
