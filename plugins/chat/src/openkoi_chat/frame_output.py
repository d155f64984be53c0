"""Write each frame to the terminal at once, as a synchronized update (DEC 2026), so that nothing flickers."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from openkoi_terminal import ERASE_BELOW

BEGIN_UPDATE, END_UPDATE = "\x1b[?2026h", "\x1b[?2026l"
FOCUS_ON, FOCUS_OFF = "\x1b[?1004h", "\x1b[?1004l"


class FrameOutput(Vt100_Output):
    """An output that holds back what is written within a frame. Never asks the terminal for the cursor's position."""

    def __init__(self) -> None:
        self.depth = 0
        super().__init__(sys.stdout, get_size=self.read_size, enable_cpr=False)

    def read_size(self) -> Size:
        """Return the size of the terminal."""
        from os import get_terminal_size

        try:
            columns, rows = get_terminal_size(self.fileno())
        except OSError:
            columns, rows = 0, 0
        return Size(rows=rows or 24, columns=columns or 80)

    def erase_down(self) -> None:
        """Erase everything that was drawn, from its first row on."""
        self.write_raw(ERASE_BELOW)

    def flush(self) -> None:
        """Write the pending output, unless a frame is being drawn."""
        if not self.depth:
            super().flush()

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Hold back all output, and write it at once at the end."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            if not self.depth and self._buffer:
                self._buffer = [BEGIN_UPDATE, *self._buffer, END_UPDATE]
            self.flush()
