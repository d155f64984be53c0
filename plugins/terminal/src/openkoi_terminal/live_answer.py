"""Show an answer as it streams in: final blocks, at most 12 rows of text that is not final, and a working line."""

from collections.abc import Callable
from time import monotonic
from typing import TextIO

from .blocks import MarkdownStream
from .live_region import LiveRegion
from .markdown import render_block
from .style import Style
from .width import tail_rows

TAIL_ROWS = 12  # half of a screen of 24 rows
INTERVAL = 0.1  # seconds between frames; at 30 Hz the same answer costs a third more CPU


class LiveAnswer:
    """An answer on a terminal. Call ``add`` with each piece, ``draw`` at least once a second, ``finish`` at the end.

    With a plain style, no rows are redrawn: each block is printed when it is final.
    """

    def __init__(self, stream: TextIO, style: Style, *, clock: Callable[[], float] = monotonic) -> None:
        self.region = LiveRegion(stream)
        self.style = style
        self.clock = clock
        self.text = MarkdownStream()
        self.finished: list[str] = []
        self.working_line = ""
        self.drawn_at = -INTERVAL

    def add(self, text: str) -> None:
        """Add a piece of the answer; the first one is drawn at once, others a tenth of a second after a frame."""
        begins = not (self.text.pending or self.text.number)
        self.text.add(text)
        if begins or self.clock() - self.drawn_at >= INTERVAL:
            self.draw()

    def print_line(self, line: str) -> None:
        """Print a finished line above the rows that change; finish the pending part of the answer first."""
        self.end_text()
        self.finished.append(f"{line}\n")
        self.draw()

    def draw(self) -> None:
        """Draw what has changed, with the working line last."""
        self.drawn_at = self.clock()
        self.finished += [render_block(block, self.style) for block in self.text.take_final()]
        finished, self.finished = "".join(self.finished), []
        if self.style.plain:
            self.write(finished)
        else:
            self.region.update(finished, self.rows())

    def rows(self) -> list[str]:
        """Return the rows that change: the end of the text that is not final, and the working line."""
        size = self.region.size
        most = max(min(TAIL_ROWS - 1, size.lines - 2), 0)
        pending = self.text.pending.strip("\n")
        tail = tail_rows(pending, size.columns - 1, most) if pending and most else []
        return [*tail, *filter(None, (self.working_line,))]

    def end_text(self) -> None:
        """Finish the answer so far; another one may follow."""
        self.finished += [render_block(block, self.style) for block in self.text.finish()]
        self.text = MarkdownStream()

    def finish(self) -> None:
        """Draw the rest of the answer, and erase the rows that change."""
        self.end_text()
        self.working_line = ""
        self.draw()

    def write(self, text: str) -> None:
        if text:
            self.region.stream.write(text)
            self.region.stream.flush()
